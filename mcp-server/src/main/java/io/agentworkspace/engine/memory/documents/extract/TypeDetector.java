package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.encoding.EncodingDetector;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import io.agentworkspace.engine.model.document.DocumentType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.tika.metadata.Metadata;
import org.apache.tika.mime.MediaType;
import org.apache.tika.mime.MimeTypes;

/** Detects the type of a file by its content, with Tika's table of magic numbers. {@link TextShape} distinguishes texts. */
final class TypeDetector {
    private static final MimeTypes TYPES = MimeTypes.getDefaultMimeTypes();

    private static final Set<String> OLE = Set.of("application/x-tika-msoffice", "application/x-ole-storage");
    private static final Set<String> ZIP = Set.of("application/zip", "application/x-tika-ooxml");

    /** Formats that consist of text but are not readable as such. */
    private static final Set<String> UNREADABLE = Set.of("application/rtf", "text/rtf", "application/postscript");

    private static final Set<String> MARKUP = Set.of("text/html", "application/xhtml+xml");

    private static final String UNKNOWN = "application/octet-stream";

    /** The range of a compound file in which the name of its encrypted part is searched. */
    private static final int DIRECTORY = 64 * 1024;

    private static final byte[] ENCRYPTED = "EncryptedPackage".getBytes(StandardCharsets.UTF_16LE);

    private TypeDetector() {}

    /** Loads Tika's table, which takes a while. */
    static void load() {
        TYPES.getMediaTypeRegistry();
    }

    /** The format of the bytes: one with a magic number, or some kind of text. */
    enum Format {
        PDF,
        DOCX,
        HTML,
        TEXT
    }

    /** @throws Rejection {@code type_not_allowed}, {@code encrypted} */
    static Format format(byte[] file) {
        if (MailHeader.begins(file)) {
            throw new Rejection(
                    Code.TYPE_NOT_ALLOWED,
                    "its content is an e-mail (message/rfc822), whose text and attachments are encoded; save the text as a file of %s, and send attachments as files of their own"
                            .formatted(DocumentType.ALL));
        }
        var type = detected(file);
        var name = type.getBaseType().toString();
        if (name.equals(DocumentType.PDF.mediaType())) {
            return Format.PDF;
        } else if (ZIP.contains(name)) {
            return Format.DOCX; // DocxPackage refuses other zips.
        } else if (MARKUP.contains(name)) {
            return Format.HTML;
        } else if (OLE.contains(name) && contains(file, ENCRYPTED)) {
            throw new Rejection(
                    Code.ENCRYPTED, "it is an Office document protected by a password; save it without one");
        } else if (UNREADABLE.contains(name)) {
            throw notAllowed(name);
        } else if (isText(type)
                || TextDecoder.hasMark(file)
                || name.equals(UNKNOWN)
                        && (EncodingDetector.detectWide(file).isPresent() || !EncodingDetector.hasControls(file))) {
            return Format
                    .TEXT; // Tika does not recognise text in other encodings than UTF-8 if most of it is not Latin.
        }
        throw notAllowed(name);
    }

    static Rejection notAllowed(String type) {
        return new Rejection(
                Code.TYPE_NOT_ALLOWED, "its content is %s; %s are accepted".formatted(type, DocumentType.ALL));
    }

    private static MediaType detected(byte[] file) {
        try {
            return TYPES.detect(new ByteArrayInputStream(file), new Metadata());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether the type counts as text. A mail, a script or a source file does; markup other than HTML does not. */
    private static boolean isText(MediaType type) {
        var registry = TYPES.getMediaTypeRegistry();
        return !registry.isSpecializationOf(type, MediaType.APPLICATION_XML)
                && !type.getBaseType().equals(MediaType.APPLICATION_XML)
                && (type.getType().equals("text")
                        || type.getType().equals("message")
                        || registry.isSpecializationOf(type, MediaType.TEXT_PLAIN));
    }

    private static boolean contains(byte[] file, byte[] pattern) {
        var last = Math.min(file.length, DIRECTORY) - pattern.length;
        for (var i = 0; i <= last; i++) {
            var k = 0;
            while (k < pattern.length && file[i + k] == pattern[k]) {
                k++;
            }
            if (k == pattern.length) {
                return true;
            }
        }
        // The directory of a large compound file is at its end.
        var from = Math.max(0, file.length - DIRECTORY);
        return from > 0 && contains(java.util.Arrays.copyOfRange(file, from, file.length), pattern);
    }

    /** The header of an e-mail with encoded parts (RFC 5322, RFC 2045). Without decoding, its body is not what people wrote. */
    private static final class MailHeader {
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

        /** Returns whether the file begins with fields of a mail and of its encoding, up to the first other line. */
        static boolean begins(byte[] file) {
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
                var isContinued =
                        !names.isEmpty() && (line.startsWith(" ") || line.startsWith("\t")) && !line.isBlank();
                if (field.matches()) {
                    names.add(field.group(1).toLowerCase(Locale.ROOT));
                } else if (!isContinued && !(names.isEmpty() && line.startsWith("From "))) {
                    break;
                }
            }
            var fields = names.stream().filter(OF_A_MAIL::contains).count();
            return fields >= 2 && isEncoded || fields >= 1 && isTransferred;
        }
    }
}
