"""ASGI middleware: what every request passes before its route, one concern a module; `api.rest.app` has the order."""
