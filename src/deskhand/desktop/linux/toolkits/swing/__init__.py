"""Java Swing through java-atk-wrapper."""
