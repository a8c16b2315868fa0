"""What was learned: documents, experiences and demonstrations, found again by plain language."""

from deskhand.knowledge.retrieval import StoreRetriever, fitting
from deskhand.knowledge.store import KnowledgeStore, knowledge_file

__all__ = ["KnowledgeStore", "StoreRetriever", "fitting", "knowledge_file"]
