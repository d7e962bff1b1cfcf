"""The REST API: FastAPI routes over the services, one module a noun; errors and access are handled outside them."""

from api.rest.middleware import paths as paths  # registers the convertor that the routes name
