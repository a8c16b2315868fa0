"""Layer 2: a step runs the strategies of its four phases (contract 3)."""
