package io.agentworkspace.engine.memory.documents.encoding;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Detects the encoding of a text that declares none: it reads the bytes in each encoding of each language, and takes the
 * reading that is the most probable by far. If two different readings are about as probable, there is no result.
 */
public final class EncodingDetector {
    private static final int SAMPLE = 64 * 1024;

    /** Fewer bytes of UTF-16 or UTF-32 with a part of a character could be anything. */
    private static final int LEAST_CUT = 16;

    /** By how much the best reading must cost less than any other text, in natural units of information. */
    private static final double MARGIN = 6;

    /** The same for each byte beyond ASCII: a long text must also be clear. */
    private static final double MARGIN_EACH = 0.03;

    /** The most that a byte beyond ASCII may cost on average. */
    private static final double MOST = 4.6;

    /** The most that a byte costs on average in usual words. */
    private static final double USUAL = 4;

    /** What it costs that an encoding is rare. */
    private static final double RARE = 5;

    /** The least that a letter costs on average in words of no language. */
    private static final double STRANGE = 8;

    private static final List<Language> LANGUAGES = languages();

    private static final List<Charset> WIDE = List.of(
            StandardCharsets.UTF_16LE,
            StandardCharsets.UTF_16BE,
            Charset.forName("UTF-32LE"),
            Charset.forName("UTF-32BE"));

    private EncodingDetector() {}

    /** @param rare encodings that its texts are hardly in today */
    private record Language(List<Charset> charsets, List<Charset> rare, LetterCosts costs) {
        static Language of(String line) {
            var parts = line.split(" \\| ", -1);
            var rare = named(parts[2]);
            return new Language(
                    Stream.concat(named(parts[1]).stream(), rare.stream()).toList(), rare, new LetterCosts(parts[3]));
        }

        private static List<Charset> named(String charsets) {
            return Arrays.stream(charsets.split(" "))
                    .filter(name -> !name.equals("-"))
                    .map(Charset::forName)
                    .toList();
        }

        Reading read(String text, Charset charset) {
            return new Reading(charset, text, costs.of(text) + (rare.contains(charset) ? RARE : 0));
        }
    }

    private record Reading(Charset charset, String text, double cost) {}

    private static List<Language> languages() {
        try (InputStream in = Objects.requireNonNull(EncodingDetector.class.getResourceAsStream("languages.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(Language::of)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the encoding; empty if none is the most probable by far. */
    public static Optional<Charset> detect(byte[] file) {
        var sample = sample(file);
        return clearest(readings(sample, language -> withWide(language, file.length)), sample);
    }

    private static List<Charset> withWide(Language language, int length) {
        return length % 2 == 0
                ? Stream.concat(language.charsets().stream(), WIDE.stream().limit(2))
                        .toList()
                : language.charsets();
    }

    /**
     * Returns whether a short text is usual words in another encoding, and strange letters in UTF-8, of which it is valid
     * by chance.
     */
    public static boolean isOnlyByChance(byte[] file, String utf8) {
        var count = beyondAscii(file);
        if (count == 0 || count > 16 || utf8.codePoints().anyMatch(c -> c > 0x7FF && Character.isDefined(c))) {
            return false;
        }
        var readings = readings(sample(file), Language::charsets);
        var isStrange =
                LANGUAGES.stream().allMatch(language -> language.costs().of(onlyBeyond(utf8)) >= count / 2 * STRANGE);
        return isStrange
                && readings.stream()
                        .anyMatch(reading -> LANGUAGES.stream()
                                .anyMatch(
                                        language -> language.costs().of(onlyBeyond(reading.text())) <= count * USUAL));
    }

    private static String onlyBeyond(String text) {
        return text.codePoints()
                .filter(c -> c >= 0x80)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** Returns which of UTF-16 and UTF-32 the beginning of a file is in, which has zeros in its text. */
    public static Optional<Charset> detectWide(byte[] file) {
        var head = Arrays.copyOf(file, Math.min(file.length, 4_096));
        return hasControls(head) ? clearest(readings(head, _ -> WIDE), head) : Optional.empty();
    }

    /** Returns whether there are bytes that text has only in UTF-16 and UTF-32. */
    public static boolean hasControls(byte[] bytes) {
        for (var b : bytes) {
            if (b >= 0 && b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1B) {
                return true;
            }
        }
        return false;
    }

    /** Returns the least costly reading for each text that the bytes may be. */
    private static List<Reading> readings(byte[] sample, Function<Language, List<Charset>> charsets) {
        var best = new HashMap<String, Reading>();
        var texts = new HashMap<Charset, Optional<String>>();
        for (var language : LANGUAGES) {
            for (var charset : charsets.apply(language)) {
                texts.computeIfAbsent(charset, one -> decoded(sample, one)).ifPresent(text -> {
                    var reading = language.read(text, charset);
                    best.merge(text, reading, (one, two) -> two.cost() < one.cost() ? two : one);
                });
            }
        }
        return best.values().stream()
                .sorted(Comparator.comparingDouble(Reading::cost))
                .toList();
    }

    private static Optional<Charset> clearest(List<Reading> readings, byte[] sample) {
        if (readings.isEmpty()) {
            return Optional.empty();
        }
        var first = readings.getFirst();
        var size = WIDE.contains(first.charset()) ? sample.length : beyondAscii(sample);
        var isClear = readings.size() == 1 || readings.get(1).cost() - first.cost() >= MARGIN + MARGIN_EACH * size;
        return isClear && LetterCosts.beyondAscii(first.text(), first.cost()) <= MOST * size
                ? Optional.of(first.charset())
                : Optional.empty();
    }

    private static long beyondAscii(byte[] bytes) {
        var count = 0L;
        for (var b : bytes) {
            count += b < 0 ? 1 : 0;
        }
        return count;
    }

    /** Returns the text from the first byte that is not ASCII, which is more significant than a long English preface. */
    private static byte[] sample(byte[] file) {
        var first = 0;
        while (first < file.length && file[first] >= 0) {
            first++;
        }
        var from = Math.max(0, first - 100);
        return Arrays.copyOfRange(file, from, Math.min(file.length, from + SAMPLE));
    }

    /** Returns the text if all bytes are in the encoding; the last character may be cut. */
    private static Optional<String> decoded(byte[] sample, Charset charset) {
        var decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        var text = CharBuffer.allocate(sample.length + 1);
        var bytes = ByteBuffer.wrap(sample);
        var isWhole = sample.length < SAMPLE / 2;
        if (decoder.decode(bytes, text, isWhole && !WIDE.contains(charset)).isError()
                || bytes.remaining() > (sample.length < LEAST_CUT && WIDE.contains(charset) ? 0 : 3)) {
            return Optional.empty();
        }
        return Optional.of(text.flip().toString());
    }
}
