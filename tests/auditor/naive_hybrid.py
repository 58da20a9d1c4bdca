"""Parquet's hybrid of repeated and packed numbers, encoded one by one, as its C++ writer does."""


def hybrid(values, width):
    """Encode numbers of so many bits."""
    out, group, literal = bytearray(), [], []
    state = {"repeat": 0, "current": None}

    def flush_repeated():
        count = state["repeat"] << 1
        while count > 127:
            out.append(count & 127 | 128)
            count >>= 7
        out.append(count)
        out.extend(int(state["current"]).to_bytes((width + 7) // 8, "little"))
        state["repeat"] = 0
        group.clear()

    def flush_literal():
        if literal:
            bits = sum(int(v) << i * width for i, v in enumerate(literal))
            out.append(len(literal) // 8 << 1 | 1)
            out.extend(bits.to_bytes(len(literal) * width // 8, "little"))
            literal.clear()

    for value in values:
        if state["repeat"] and state["current"] == value:
            state["repeat"] += 1
            if state["repeat"] > 8:
                continue
        else:
            if state["repeat"] >= 8:
                flush_repeated()
            state["repeat"], state["current"] = 1, value
        group.append(value)
        if len(group) == 8:
            if state["repeat"] >= 8:
                flush_literal()
                group.clear()
                continue
            literal += group
            group.clear()
            state["repeat"] = 0
            if len(literal) == 63 * 8:
                flush_literal()
    if not literal and state["repeat"] and (not group or state["repeat"] == len(group)):
        flush_repeated()
    else:
        literal += group + [0] * (-len(group) % 8)
        flush_literal()
    return bytes(out)
