"""Health checks: the process is alive, the service is ready."""

from fastapi import APIRouter
from pydantic import Field

from assent.errors import NotReady
from assent.server.api.routing import NativeApi
from assent.server.api.schemas import Shape
from assent.server.service import ServiceDep

router = APIRouter(route_class=NativeApi, tags=["health"])


class Alive(Shape):
    """The process answers."""

    status: str = Field(default="alive", examples=["alive"])


class Ready(Shape):
    """The database answers, its schema is that of this release, and the worker takes up work."""

    status: str = Field(default="ready", examples=["ready"])
    worker: bool = Field(description="false: this process decides and reads, others run calls.")


@router.get("/healthz", operation_id="alive")
async def alive() -> Alive:
    """Report that the process answers."""
    return Alive()


@router.get("/readyz", operation_id="ready")
async def ready(service: ServiceDep) -> Ready:
    """Report that the database answers and work is taken up; 503 if not."""
    assent = service.assent
    # Opening the engine upgraded the schema; if the database answers here, the engine is open.
    await service.pulse.check()
    if assent.is_worker and not assent.is_working:
        raise NotReady("its worker has stopped")
    return Ready(worker=assent.is_worker)
