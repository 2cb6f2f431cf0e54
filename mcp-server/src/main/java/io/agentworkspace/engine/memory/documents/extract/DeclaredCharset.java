package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The encoding that a file declares, in its head or with its upload, by the names that browsers know. */
public final class DeclaredCharset {
    private static final Pattern IN_HEAD = Pattern.compile(
            "\\A\\s*<\\?xml[^>]{1,200}encoding\\s*=\\s*[\"']([\\w.:-]{2,40})[\"']"
                    + "|<meta[^>]{1,500}charset\\s*=\\s*[\"']?([\\w.:-]{2,40})",
            Pattern.CASE_INSENSITIVE);
    private static final int HEAD = 4_096;

    private DeclaredCharset() {}

    /** Returns what HTML declares; empty for other texts, and for names that no program knows. */
    public static Optional<Charset> inHead(byte[] file) {
        var head = new String(file, 0, Math.min(file.length, HEAD), StandardCharsets.ISO_8859_1);
        var declared = IN_HEAD.matcher(head);
        if (!head.stripLeading().startsWith("<") || !declared.find()) {
            return Optional.empty();
        }
        var name = declared.group(1) == null ? declared.group(2) : declared.group(1);
        // A head that can be read is not in UTF-16, whatever it declares.
        return charset(name).map(one -> one.name().startsWith("UTF-") ? StandardCharsets.UTF_8 : one);
    }

    /** @throws Rejection {@code encoding} if no program knows the name */
    public static Optional<Charset> ofUpload(@Nullable String name) {
        return name == null
                ? Optional.empty()
                : Optional.of(charset(name)
                        .orElseThrow(() -> new Rejection(
                                Code.ENCODING,
                                "it was sent with the unknown encoding %s; send it with the right one, or save it as UTF-8"
                                        .formatted(name))));
    }

    /** Returns the encoding, or the larger one that programs write under its name. */
    private static Optional<Charset> charset(String name) {
        var alias = switch (name.toLowerCase(Locale.ROOT)) {
            case "iso-8859-1", "iso8859-1", "latin1", "us-ascii", "ascii" -> "windows-1252";
            case "iso-8859-9", "latin5" -> "windows-1254";
            case "shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji" -> "windows-31j";
            case "gb2312", "gbk", "x-gbk", "gb_2312-80" -> "GB18030";
            case "euc-kr", "ks_c_5601-1987", "ksc5601" -> "x-windows-949";
            case "tis-620", "iso-8859-11", "windows-874" -> "x-windows-874";
            case "macintosh", "mac" -> "x-MacRoman";
            default -> name;
        };
        try {
            return Optional.of(Charset.forName(alias));
        } catch (IllegalArgumentException unknown) {
            return Optional.empty();
        }
    }
}
