package io.agentworkspace.engine.documents.extract;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The header of an e-mail with encoded parts (RFC 5322, RFC 2045). Without decoding, its body is not what people wrote. */
final class MailHeader {
    private static final int MOST = 64 * 1024;
    private static final Pattern FIELD = Pattern.compile("([A-Za-z][A-Za-z0-9-]*):.*");
    private static final Set<String> OF_A_MAIL = Set.of("from", "to", "date", "subject", "message-id", "received");
    private static final Set<String> OF_ITS_PARTS = Set.of("mime-version", "content-type", "content-transfer-encoding");

    private MailHeader() {}

    /** Returns whether the file begins with fields of a mail and of its encoding, up to the first other line. */
    static boolean begins(byte[] file) {
        var names = new HashSet<String>();
        var head = new String(file, 0, Math.min(file.length, MOST), StandardCharsets.ISO_8859_1);
        var lines = head.startsWith("\u00EF\u00BB\u00BF") ? head.substring(3) : head;
        for (var line : (Iterable<String>) lines.lines()::iterator) {
            var field = FIELD.matcher(line);
            var isContinued = !names.isEmpty() && (line.startsWith(" ") || line.startsWith("\t")) && !line.isBlank();
            if (field.matches()) {
                names.add(field.group(1).toLowerCase(Locale.ROOT));
            } else if (!isContinued && !(names.isEmpty() && line.startsWith("From "))) {
                break;
            }
        }
        return names.stream().filter(OF_A_MAIL::contains).count() >= 2
                && names.stream().anyMatch(OF_ITS_PARTS::contains);
    }
}
