"""Messages to the user, who may be elsewhere: a session waits for an answer, or has ended.

They go where the settings `notify` name: to a program, a webhook, or the user's own desktop; by default nowhere. A
message has the words of a question, and otherwise none of a document, a request or an action: it may leave the machine.
"""

from deskhand.notify.channels import Channel, Notifications, notifications
from deskhand.notify.message import Message
from deskhand.notify.outbox import Outbox, opened
from deskhand.notify.session_messages import SessionMessages, notified
from deskhand.notify.waiting_user import AnnouncedInteractor

__all__ = [
    "AnnouncedInteractor",
    "Channel",
    "Message",
    "Notifications",
    "Outbox",
    "SessionMessages",
    "notifications",
    "notified",
    "opened",
]
