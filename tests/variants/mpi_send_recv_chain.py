"""Variants of mpi-send-recv-chain."""

from __future__ import annotations

from style import EXPECT, Shape, Style, indent, lines, mpi_headers, ranks


def chain_variant(kind: str) -> Shape:
    """An exchange along a line or ring; every kind but `chain` and `helper` is in order."""

    def make(style: Style) -> str:
        out, into, n, f = style.names(4)
        t = style.index
        comm = style.pick("MPI_COMM_WORLD", "group")
        declared, rank, _, left, right = ranks(style, comm)
        to, source = (right, left) if style.rng.random() < 0.5 else (left, right)
        tag = str(style.rng.randint(0, 9))
        send_name = style.pick("MPI_Send", "MPI_Ssend")
        note = EXPECT.format("mpi-send-recv-chain")
        loud = kind in ("chain", "helper")
        half = f"(int){n}, MPI_DOUBLE"
        send = f"{send_name}({out}, {half}, {to}, {tag}, {comm});"
        receive = f"MPI_Recv({into}, {half}, {source}, {tag}, {comm}, MPI_STATUS_IGNORE);"
        prelude = ""
        if kind == "helper":
            move, way = style.names(2)
            prelude = lines(
                f"static void {move}(double *p, {t} count, int {way}, int peer, MPI_Comm comm) {{",
                f"  if ({way} == 0)",
                indent(note, 4),
                f"    {send_name}(p, (int)count, MPI_DOUBLE, peer, {tag}, comm);",
                "  else",
                f"    MPI_Recv(p, (int)count, MPI_DOUBLE, peer, {tag}, comm, MPI_STATUS_IGNORE);",
                "}",
            )
            body = f"{move}({out}, {n}, 0, {to}, {comm});\n{move}({into}, {n}, 1, {source}, {comm});"
        elif kind == "chain":
            body = lines(note, send, receive)
        elif kind == "sendrecv":
            body = (
                f"MPI_Sendrecv({out}, {half}, {to}, {tag}, {into}, {half}, {source}, {tag}, {comm}, MPI_STATUS_IGNORE);"
            )
        elif kind == "parity":
            test = style.pick(f"{rank} % 2 == 0", f"({rank} & 1) == 0", f"!({rank} % 2)")
            body = lines(f"if ({test}) {{", indent(lines(send, receive)), "} else {", indent(lines(receive, send)), "}")
        elif kind == "posted":
            body = lines(
                "MPI_Request request;", f"MPI_Irecv({into}, {half}, {source}, {tag}, {comm}, &request);", send,
                "MPI_Wait(&request, MPI_STATUS_IGNORE);",
            )  # fmt: skip
        elif kind == "started":
            body = lines(
                "MPI_Request request;", f"MPI_Isend({out}, {half}, {to}, {tag}, {comm}, &request);", receive,
                "MPI_Wait(&request, MPI_STATUS_IGNORE);",
            )  # fmt: skip
        else:
            asked = lines(send.replace(f" {to},", " 0,"), receive.replace(f" {source},", " 0,"))
            body = lines(f"if ({rank} != 0) {{", indent(asked), "}")
        unused = lines(f"(void){rank};", f"(void){left};", f"(void){right};")
        group = ", MPI_Comm group" if comm == "group" else ""
        steps = style.name()
        body = lines(declared, unused, body)
        if loud and style.rng.random() < 0.4:
            body = lines(f"for (int {steps} = 0; {steps} < 10; {steps}++) {{", indent(body), "}")
        return lines(
            mpi_headers(style),
            prelude,
            f"void {f}(double *{into}, double *{out}, {t} {n}{group}) {{",
            indent(body),
            "}",
        )

    return make


LOUD: dict[str, Shape] = {"chain": chain_variant("chain"), "helper": chain_variant("helper")}

SILENT: dict[str, Shape] = {kind: chain_variant(kind) for kind in ("sendrecv", "parity", "posted", "started", "client")}
