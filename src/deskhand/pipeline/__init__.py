"""Layer 2: a step runs four phases of strategies (contract 3)."""
