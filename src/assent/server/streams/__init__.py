"""Turns as streams, in the protocols that frontends understand, and the types to add your own.

See `StreamProtocol`, and `create_app(…, protocols=[…])`.
"""

from assent.server.streams.actions import (
    ClientOutput,
    DecideRequests,
    RetryTurn,
    SendMessage,
    StreamAction,
    StreamStart,
)
from assent.server.streams.posted_files import PostedFile
from assent.server.streams.protocol import (
    StreamEncoder,
    StreamProtocol,
    StreamReader,
    StreamRequest,
)
from assent.server.streams.steps import (
    CallProposed,
    CallRevised,
    CallSettled,
    Opened,
    Progressed,
    ReasoningSaid,
    RequestClosed,
    Requested,
    StepFinished,
    StepPaused,
    StepReset,
    StepStarted,
    TextSaid,
    TurnErrored,
    TurnFinished,
    TurnStep,
    TurnStopped,
    TurnWaiting,
)

__all__ = [
    "CallProposed",
    "CallRevised",
    "CallSettled",
    "ClientOutput",
    "DecideRequests",
    "Opened",
    "PostedFile",
    "Progressed",
    "ReasoningSaid",
    "RequestClosed",
    "Requested",
    "RetryTurn",
    "SendMessage",
    "StepFinished",
    "StepPaused",
    "StepReset",
    "StepStarted",
    "StreamAction",
    "StreamEncoder",
    "StreamProtocol",
    "StreamReader",
    "StreamRequest",
    "StreamStart",
    "TextSaid",
    "TurnErrored",
    "TurnFinished",
    "TurnStep",
    "TurnStopped",
    "TurnWaiting",
]
