"""Whether this process lives, and whether it can work."""

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
    """The database answers, its schema is this release's, and work is taken up."""

    status: str = Field(default="ready", examples=["ready"])
    worker: bool = Field(description="false: this process decides and reads, others run calls.")


@router.get("/healthz", operation_id="alive")
async def alive() -> Alive:
    """Alive: the process answers."""
    return Alive()


@router.get("/readyz", operation_id="ready")
async def ready(service: ServiceDep) -> Ready:
    """Ready: the database answers and work is taken up; 503 where not."""
    assent = service.assent
    # Opening the engine brought the schema up to date; that it answers means that it is open.
    await service.pulse.feel()
    if assent.is_worker and not assent.is_working:
        raise NotReady("its worker has stopped")
    return Ready(worker=assent.is_worker)
