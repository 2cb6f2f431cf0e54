package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What was sent for an import: a file, or a folder of files as a zip. It is kept in a temporary file while it is read. */
public final class ImportSource implements Closeable {
    /** The maximum size of what is sent, in bytes. */
    public static final long MOST_BYTES = 256L << 20;

    /** The maximum size of the files that are read from a zip, in bytes. */
    static final long MOST_UNPACKED = 512L << 20;

    private static final ZipFolder.Bounds BOUNDS = new ZipFolder.Bounds(20_000, MOST_UNPACKED);

    /** How many values of a file are looked at to recognise its format, and how large they are together. */
    private static final int SAMPLE = 20;

    private static final int SAMPLE_BYTES = 2 << 20;

    /** How many values that cannot be read are passed over. */
    private static final int SAMPLE_VALUES = 200;

    /** How many files of a folder are looked at. */
    private static final int SAMPLE_FILES = 50;

    private static final Pattern JSON = Pattern.compile("(?i).*\\.(json|jsonl|ndjson|af)");

    /** The files that exports of conversations have. */
    private static final Pattern LIKELY = Pattern.compile("(?i)(.*/)?(conversations|memor|projects)[^/]*\\.json");

    /** How a zip in base64 begins. */
    private static final String ZIP = "UEsDB";

    /** After how much others may have their turns, in bytes. */
    private static final int BETWEEN_TURNS = 1 << 20;

    /** What opening a file counts as, in bytes. */
    private static final int OPENING = 1 << 14;

    private final FileChannel file;
    private @Nullable ZipFolder folder;
    private long sinceTurn;
    private List<Part> parts = List.of();
    private final StepAllowance allowance =
            new StepAllowance(8 * MOST_UNPACKED, () -> Problem.invalid("data", "takes too long to read"));

    private ImportSource(FileChannel file) {
        this.file = file;
    }

    /** Finds the files. Call it first. */
    public void unpack() throws IOException {
        if (!isZip()) {
            parts = List.of(new Part("", null, this::open));
            return;
        }
        var zip = ZipFolder.open(file, BOUNDS);
        folder = zip;
        parts = zip.files().stream()
                .map(entry -> new Part(entry.path(), entry.date(), () -> zip.open(entry)))
                .toList();
    }

    /** Keeps a file that arrives. It has no name while it is open, so nothing is left if the process is killed. */
    public static ImportSource of(InputStream in) throws IOException {
        var file = FileChannel.open(
                Files.createTempFile("engine-import", ""),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
        try {
            copy(in, Channels.newOutputStream(file));
            return new ImportSource(file);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Keeps a text, or a zip in base64. */
    public static ImportSource of(String data) throws IOException {
        var start = data.stripLeading();
        return of(new ByteArrayInputStream(
                start.startsWith(ZIP) ? decoded(start) : data.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] decoded(String data) {
        try {
            return Base64.getMimeDecoder().decode(data);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("data", "must be a text, or a zip in base64 (RFC 4648, section 4)");
        }
    }

    private static void copy(InputStream in, java.io.OutputStream out) throws IOException {
        var buffer = new byte[1 << 16];
        var size = 0L;
        for (var count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            size += count;
            if (size > MOST_BYTES) {
                throw Problem.tooLarge("the file", size, MOST_BYTES, "bytes or more");
            }
            out.write(buffer, 0, count);
        }
    }

    private boolean isZip() throws IOException {
        var head = open().readNBytes(4);
        return head.length == 4 && head[0] == 'P' && head[1] == 'K' && head[2] < 9 && head[3] < 9;
    }

    /** Lets other work have its turn now and then: a large file takes long. */
    private void count(long bytes) {
        sinceTurn += bytes;
        if (sinceTurn >= BETWEEN_TURNS) {
            sinceTurn = 0;
            HeavyWork.pass();
        }
    }

    public boolean isFolder() {
        return folder != null;
    }

    public List<Part> parts() {
        return parts;
    }

    /** Returns whether the file can have JSON: in a folder, its name says so. */
    public boolean isJson(Part part) throws IOException {
        return (!isFolder() || JSON.matcher(part.path()).matches()) && part.isJson();
    }

    /** Returns the files to recognise a format of JSON by, those with a likely name first. */
    public List<Part> likelyJson() throws IOException {
        var likely = new ArrayList<Part>();
        for (var part : parts.stream()
                .filter(part -> !isFolder() || JSON.matcher(part.path()).matches())
                .sorted(Comparator.comparing(
                        part -> !LIKELY.matcher(part.path()).matches()))
                .limit(SAMPLE_FILES)
                .toList()) {
            if (part.isJson()) {
                likely.add(part);
            }
        }
        return likely;
    }

    /** Opens the file as it was sent. */
    public InputStream open() {
        return new FileReader();
    }

    /** Reads the file from its beginning, whatever others read. */
    private final class FileReader extends InputStream {
        private long position;

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            var count = file.read(ByteBuffer.wrap(into, from, length), position);
            position += Math.max(0, count);
            return count;
        }
    }

    /** Counts what is read of a file. */
    private final class Counted extends FilterInputStream {
        Counted(InputStream in) {
            super(in);
            count(OPENING);
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            var read = super.in.read(into, from, length);
            count(Math.max(0, read));
            return read;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (folder != null) {
                folder.close();
            }
        } finally {
            file.close();
        }
    }

    /** Opens a file. */
    @FunctionalInterface
    private interface Opening {
        InputStream open() throws IOException;
    }

    /** Receives the values of a JSON file. */
    @FunctionalInterface
    public interface ValueReceiver {
        /** Returns whether it wants more. */
        boolean take(JsonValues.Value value);
    }

    /** A file of what was sent. */
    public final class Part {
        private final String path;
        private final @Nullable Instant date;
        private final Opening opening;

        private Part(String path, @Nullable Instant date, Opening opening) {
            this.path = path;
            this.date = date;
            this.opening = () -> new Counted(opening.open());
        }

        /** Returns its path in the folder; empty for a single file. */
        public String path() {
            return path;
        }

        public @Nullable Instant date() {
            return date;
        }

        public Place place(long line) {
            return new Place(path.isEmpty() ? "" : ZipFolder.excerpt(path), line);
        }

        /** Returns whether it begins as JSON does. */
        public boolean isJson() throws IOException {
            var begin = begin();
            return begin == '{' || begin == '[';
        }

        /** Returns the first character that is not blank; a space if there is none. */
        private char begin() throws IOException {
            var head = head(1_000).replace("\uFEFF", "").stripLeading();
            return head.isEmpty() ? ' ' : head.charAt(0);
        }

        public String head(int bytes) throws IOException {
            try (var in = opening.open()) {
                return new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
            }
        }

        /** Returns the whole text; null if it is not UTF-8 or larger than the limit. */
        public @Nullable String text(int most) throws IOException {
            try (var in = opening.open()) {
                var bytes = in.readNBytes(most + 1);
                allowance.take(bytes.length);
                return bytes.length > most ? null : Utf8.decoded(bytes);
            }
        }

        /** Reads the values of a JSON file one at a time. */
        public void values(ValueReceiver receiver) throws IOException {
            if (isLines()) {
                try (var in = opening.open()) {
                    var lines = new JsonLines(in);
                    for (var value = lines.next(); value != null && receiver.take(value); value = lines.next()) {
                        allowance.take(1);
                    }
                }
                return;
            }
            try (var in = opening.open()) {
                var values = new JsonValues(in, allowance);
                var value = values.next();
                if (value != null && value.isTooLarge() && begin() == '{' && hasLists(receiver)) {
                    return;
                }
                for (; value != null && receiver.take(value); value = values.next()) {
                    allowance.take(1);
                }
            }
        }

        /** Reads the lists of an object that is too large as a whole. Returns whether it has such lists. */
        private boolean hasLists(ValueReceiver receiver) throws IOException {
            try (var in = opening.open()) {
                var values = JsonValues.ofLists(in, allowance);
                var value = values.next();
                if (!values.hasList()) {
                    return false;
                }
                for (; value != null && receiver.take(value); value = values.next()) {
                    allowance.take(1);
                }
                return true;
            }
        }

        /** Returns whether the first line is a whole object, and others follow. */
        public boolean isLines() throws IOException {
            if (begin() != '{') {
                return false;
            }
            try (var in = opening.open()) {
                var lines = new LineReader(in, MOST_UNPACKED, JsonValues.MOST);
                var first = lines.next();
                return first != null
                        && first.fault() == null
                        && first.text().stripLeading().startsWith("{")
                        && isWhole(first.text())
                        && lines.next() != null;
            }
        }

        private static boolean isWhole(String line) {
            try {
                return Json.readForeign(line.getBytes(StandardCharsets.UTF_8)).isObject();
            } catch (IllegalArgumentException e) {
                return false;
            }
        }

        /** Passes the first values on, to recognise the format by. None is kept: one may be large. */
        public void sample(Consumer<JsonValues.Value> receiver) throws IOException {
            var room = new int[] {SAMPLE_BYTES, SAMPLE_VALUES, SAMPLE};
            values(value -> {
                receiver.accept(value);
                room[0] -= value.size();
                room[2] -= value.fault() == null ? 1 : 0;
                return room[0] > 0 && --room[1] > 0 && room[2] > 0;
            });
        }
    }
}
