package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.QuotedText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.MultiPart;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A form with one file and some fields, read as it arrives: pieces of the file are passed on, and the fields are
 * collected.
 */
final class FileForm implements MultiPart.Parser.Listener {
    private static final int LONGEST_FIELD = 4_096;
    private static final int MOST_PARTS = 10;

    private final Set<String> names;
    private final ObjectNode fields;
    private final Sink sink;
    private @Nullable String part;
    private @Nullable String fileName;
    private @Nullable String fileType;
    private @Nullable String partType;
    private final ByteArrayOutputStream field = new ByteArrayOutputStream();
    private boolean hasFile;
    private boolean isComplete;
    private @Nullable RuntimeException refusal;

    /** The name and the media type that a file was sent with. */
    record SentFile(@Nullable String name, @Nullable String mediaType) {}

    /** Receives the pieces of the file. */
    @FunctionalInterface
    interface Sink {
        void write(byte[] bytes, int length);
    }

    private FileForm(Set<String> names, ObjectNode fields, Sink sink) {
        this.names = names;
        this.fields = fields;
        this.sink = sink;
    }

    /**
     * Reads the whole form.
     *
     * @param names the fields that the form may have, besides the file
     * @param fields receives the values of these fields
     * @return what the file was sent with
     * @throws Problem if the body is not such a form; what the sink throws is passed on at once
     */
    static SentFile read(InputStream body, String contentType, Set<String> names, ObjectNode fields, Sink sink)
            throws IOException {
        var boundary = MultiPart.extractBoundary(contentType);
        if (boundary == null) {
            throw unreadable();
        }
        var form = new FileForm(names, fields, sink);
        var parser = parser(boundary, form);
        var piece = new byte[64 * 1024];
        for (var count = body.read(piece); count >= 0; count = body.read(piece)) {
            form.take(parser, ByteBuffer.wrap(piece, 0, count), false);
        }
        form.end(parser);
        return new SentFile(form.fileName, form.fileType);
    }

    private static MultiPart.Parser parser(String boundary, FileForm form) {
        var parser = new MultiPart.Parser(boundary, form);
        parser.setMaxParts(MOST_PARTS);
        return parser;
    }

    private void end(MultiPart.Parser parser) {
        take(parser, ByteBuffer.allocate(0), true);
        if (!isComplete) {
            throw unreadable();
        } else if (!hasFile) {
            throw Problem.missing("the form's part '%s'".formatted(UploadBody.PART));
        }
    }

    /**
     * Reads the form up to its file, and returns the file, which reads on.
     *
     * @param fields receives the fields before the file; those after it too late
     */
    static InputStream open(InputStream body, String contentType, Set<String> names, ObjectNode fields)
            throws IOException {
        var boundary = MultiPart.extractBoundary(contentType);
        if (boundary == null) {
            throw unreadable();
        }
        var file = new FormFile(body, boundary, names, fields);
        file.begin();
        return file;
    }

    /** The file of a form. Its end is that of the form, so that a form that breaks off is refused. */
    private static final class FormFile extends InputStream {
        private final InputStream body;
        private final FileForm form;
        private final MultiPart.Parser parser;
        private final Deque<ByteBuffer> pieces = new ArrayDeque<>();
        private final byte[] read = new byte[64 * 1024];
        private boolean isEnded;

        FormFile(InputStream body, String boundary, Set<String> names, ObjectNode fields) {
            this.body = body;
            this.form = new FileForm(names, fields, (bytes, length) -> pieces.add(ByteBuffer.wrap(bytes, 0, length)));
            this.parser = parser(boundary, form);
        }

        /** Reads on until the file begins, or the form ends. */
        void begin() throws IOException {
            while (!form.hasFile && !isEnded) {
                pump();
            }
        }

        private void pump() throws IOException {
            var count = body.read(read);
            if (count >= 0) {
                form.take(parser, ByteBuffer.wrap(read, 0, count), false);
            } else {
                isEnded = true;
                form.end(parser);
            }
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            while (pieces.isEmpty() || !pieces.peek().hasRemaining()) {
                pieces.poll();
                if (pieces.isEmpty() && isEnded) {
                    return -1;
                } else if (pieces.isEmpty()) {
                    pump();
                }
            }
            var piece = pieces.element();
            var count = Math.min(length, piece.remaining());
            piece.get(into, offset, count);
            return count;
        }
    }

    private void take(MultiPart.Parser parser, ByteBuffer bytes, boolean isLast) {
        try {
            parser.parse(Content.Chunk.from(bytes, isLast));
        } catch (Problem problem) {
            throw problem;
        } catch (RuntimeException e) { // The library throws many types of exceptions for bodies that are not forms.
            throw refusal == null ? unreadable() : refusal;
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private static Problem unreadable() {
        return new Problem(
                Failure.BAD_REQUEST,
                "the form cannot be read: send a whole %s, and its boundary in Content-Type"
                        .formatted(UploadBody.FORM));
    }

    @Override
    public void onPartBegin() {
        part = null;
        partType = null;
        field.reset();
    }

    @Override
    public void onPartHeader(String name, String value) {
        if (name.toLowerCase(Locale.ROOT).equals("content-disposition")) {
            part = parameter(value, "name");
            if (UploadBody.PART.equals(part)) {
                fileName = parameter(value, "filename");
            }
        } else if (name.toLowerCase(Locale.ROOT).equals("content-type")) {
            partType = value;
        }
    }

    /** Returns a parameter's value, as browsers send it: quoted, with quotation marks as {@code %22}. */
    private static @Nullable String parameter(String header, String name) {
        var found = java.util.regex.Pattern.compile(";\\s*" + name + "=(?:\"((?:\\\\.|[^\"\\\\])*+)\"|([^;\\s]*))")
                .matcher(header);
        if (!found.find()) {
            return null;
        }
        var value = found.group(1) != null ? found.group(1).replaceAll("\\\\([\"\\\\])", "$1") : found.group(2);
        return value.replace("%22", "\"");
    }

    @Override
    public void onPartHeaders() {
        var isFile = UploadBody.PART.equals(part);
        if (isFile && hasFile) {
            refuse(Problem.invalid("the form's part 'file'", "must be there exactly once"));
        } else if (!isFile && (part == null || !names.contains(part))) {
            refuse(Problem.invalid(
                    "the form's part '%s'".formatted(QuotedText.shortened(String.valueOf(part))),
                    "is not known; the file is the part '%s'".formatted(UploadBody.PART)));
        }
        hasFile |= isFile;
        fileType = isFile ? partType : fileType;
    }

    @Override
    public void onPartContent(Content.Chunk chunk) {
        var bytes = new byte[chunk.remaining()];
        chunk.getByteBuffer().get(bytes);
        if (refusal != null) {
            return;
        } else if (UploadBody.PART.equals(part)) {
            try {
                sink.write(bytes, bytes.length);
            } catch (RuntimeException e) {
                refuse(e);
            }
        } else {
            field.write(bytes, 0, Math.min(bytes.length, LONGEST_FIELD - field.size()));
        }
    }

    private void refuse(RuntimeException why) {
        if (refusal == null) {
            refusal = why;
        }
    }

    @Override
    public void onPartEnd() {
        if (part != null && !UploadBody.PART.equals(part) && names.contains(part)) {
            fields.put(part, field.toString(StandardCharsets.UTF_8));
        }
    }

    @Override
    public void onComplete() {
        isComplete = true;
    }

    @Override
    public void onFailure(Throwable failure) {
        refuse(unreadable());
    }
}
