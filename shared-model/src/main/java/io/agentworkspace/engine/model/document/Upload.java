package io.agentworkspace.engine.model.document;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that arrived with a request. It was stored while it arrived, so that it is never in memory as a whole.
 *
 * @param sha256 in hexadecimal
 * @param charset the encoding that it was sent with
 */
public record Upload(
        UUID id, long size, String sha256, @Nullable String charset) {
    /** The largest file, in bytes: 20 MiB (decisions, section 1). */
    public static final int MAX_BYTES = 20 << 20;

    private static final Pattern CHARSET =
            Pattern.compile(";\\s*charset\\s*=\\s*\"?([\\w.:+-]{1,40})", Pattern.CASE_INSENSITIVE);

    /** The upload of the current request, bound while the tool that takes it runs. */
    public static final ScopedValue<Upload> CURRENT = ScopedValue.newInstance();

    public Upload withCharset(@Nullable String other) {
        return new Upload(id, size, sha256, other);
    }

    /** Returns the encoding that a media type names, such as {@code text/csv; charset=windows-1252}. */
    public static Optional<String> charset(@Nullable String mediaType) {
        return Optional.ofNullable(mediaType)
                .map(CHARSET::matcher)
                .filter(java.util.regex.Matcher::find)
                .map(found -> found.group(1));
    }
}
