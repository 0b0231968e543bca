"""Whether this process lives, and whether it can work."""

from fastapi import APIRouter

from assent.server.guard import GuardedApi
from assent.server.service import ServiceDep

router = APIRouter(route_class=GuardedApi, tags=["health"])


@router.get("/healthz", operation_id="alive")
async def alive() -> dict[str, str]:
    """Alive: the process answers."""
    return {"status": "alive"}


@router.get("/readyz", operation_id="ready")
async def ready(service: ServiceDep) -> dict[str, str]:
    """Ready: the database answers too; a problem with 503 where it does not."""
    await service.assent.kernel.store.run(lambda tx: tx.now())
    return {"status": "ready"}
