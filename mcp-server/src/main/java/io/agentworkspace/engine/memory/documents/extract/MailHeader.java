package io.agentworkspace.engine.memory.documents.extract;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Recognises the header of a mail (RFC 5322), and of its encoded parts (RFC 2045). */
final class MailHeader {
    private static final int MOST = 64 * 1024;
    private static final Pattern FIELD = Pattern.compile("([!-9;-~]+)[ \\t]*:.*");
    private static final Set<String> OF_A_MAIL = Set.of("from", "to", "date", "subject", "message-id", "received");
    private static final String TRANSFER = "content-transfer-encoding\\s*:\\s*(?:quoted-printable|base64)\\b.*";
    private static final Pattern TRANSFERRED = Pattern.compile(TRANSFER, Pattern.CASE_INSENSITIVE);

    /** A field of the encoding, or encoded words in any field. */
    private static final Pattern ENCODED = Pattern.compile(
            "mime-version\\s*:\\s*\\d.*|content-type\\s*:\\s*[a-z]+/.*|.*=\\?[^?\\s]+\\?[bq]\\?.*|" + TRANSFER,
            Pattern.CASE_INSENSITIVE);

    private MailHeader() {}

    /**
     * Returns whether the file begins with fields of a mail, up to the first other line, and with those of its encoding,
     * unless it is called a mail.
     */
    static boolean begins(byte[] file, boolean isCalledMail) {
        var names = new HashSet<String>();
        var isEncoded = false;
        var isTransferred = false;
        // Without the mark and the zeros of UTF-16, in which editors and shells may save it.
        var head = new String(file, 0, Math.min(file.length, MOST), StandardCharsets.ISO_8859_1)
                .replaceFirst("^(?:\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF)", "")
                .replace("\0", "");
        for (var line : (Iterable<String>) head.stripLeading().lines()::iterator) {
            isEncoded |= ENCODED.matcher(line).matches();
            isTransferred |= TRANSFERRED.matcher(line).matches();
            var field = FIELD.matcher(line);
            var isContinued = !names.isEmpty() && (line.startsWith(" ") || line.startsWith("\t")) && !line.isBlank();
            if (field.matches()) {
                names.add(field.group(1).toLowerCase(Locale.ROOT));
            } else if (!isContinued && !(names.isEmpty() && line.startsWith("From "))) {
                break;
            }
        }
        var fields = names.stream().filter(OF_A_MAIL::contains).count();
        return fields >= 2 && (isEncoded || isCalledMail) || fields >= 1 && isTransferred;
    }
}
