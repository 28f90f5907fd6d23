"""Files as people keep them: a video, a sound, a document; made here, so that nothing is fetched for a test."""

import io
import math
import struct
import wave

VIDEO_SECONDS = 30
FRAMES_PER_SECOND = 12


def video(path):
    """A WebM of VP8 with a moving bar, whose key frames are two seconds apart."""
    import av

    width, height = 320, 180
    with av.open(str(path), "w", format="webm") as container:
        stream = container.add_stream("libvpx", rate=FRAMES_PER_SECOND)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.options = {"g": str(2 * FRAMES_PER_SECOND), "deadline": "realtime", "cpu-used": "8"}
        stream.bit_rate = 2_000_000
        for number in range(VIDEO_SECONDS * FRAMES_PER_SECOND):
            frame = av.VideoFrame(width, height, "yuv420p")
            for index, plane in enumerate(frame.planes):
                if index > 0:
                    plane.update(bytes([128]) * plane.buffer_size)
                    continue
                bar = number * 2 % (width - 40)
                noise = bytes((number * 7 + x * 13) % 90 for x in range(plane.line_size))
                line = noise[:bar] + b"\xf0" * 40 + noise[bar + 40:]
                plane.update(line * (plane.buffer_size // plane.line_size))
            frame.pts = number
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode(None):
            container.mux(packet)


def sound(path, seconds=6):
    """A WAV with a falling tone."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(
            struct.pack("<h", int(8000 * math.sin(t * (880 - t / 100) * 2 * math.pi / 8000)))
            for t in range(8000 * seconds)))


def document(path, words="A page of paper."):
    """A PDF of one page."""
    stream = f"BT /F1 24 Tf 72 700 Td ({words}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    path.write_bytes(out.getvalue())
