"""How much room a text takes in a prompt, estimated without a tokenizer (SPEC 3.2)."""


def tokens(text: str) -> int:
    """ceil(UTF-8 bytes / 4): the one measure of every budget. Money uses the provider's own counts."""
    return (len(text.encode("utf-8", errors="surrogatepass")) + 3) // 4
