"""Learned knowledge: documents, experiences and demonstrations, searched with plain language."""

from deskhand.knowledge.retrieval import StoreRetriever, fitting
from deskhand.knowledge.store import KnowledgeStore, knowledge_file

__all__ = ["KnowledgeStore", "StoreRetriever", "fitting", "knowledge_file"]
