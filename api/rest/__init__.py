"""The REST door: FastAPI routes over the services, one module a noun; errors and access are decided once, outside."""

from api.rest.middleware import paths as paths  # the routes name its convertor, so it comes before any of them
