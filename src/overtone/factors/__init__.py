"""Rankers that give every user and every item a few numbers: how these are learned."""
