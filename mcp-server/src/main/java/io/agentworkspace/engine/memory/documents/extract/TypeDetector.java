package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.encoding.EncodingDetector;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import io.agentworkspace.engine.model.document.DocumentType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import org.apache.tika.metadata.Metadata;
import org.apache.tika.mime.MediaType;
import org.apache.tika.mime.MimeTypes;

/** Detects the type of a file by its content, with Tika's table of magic numbers. {@link TextShape} distinguishes texts. */
public final class TypeDetector {
    private static final MimeTypes TYPES = MimeTypes.getDefaultMimeTypes();

    private static final Set<String> OLE = Set.of("application/x-tika-msoffice", "application/x-ole-storage");
    private static final Set<String> RTF = Set.of("application/rtf", "text/rtf");

    /** A format that consists of text but is not readable as such. */
    private static final String UNREADABLE = "application/postscript";

    private static final Set<String> MARKUP = Set.of("text/html", "application/xhtml+xml");

    private static final String UNKNOWN = "application/octet-stream";

    private TypeDetector() {}

    /** Loads Tika's table, which takes a while. */
    public static void load() {
        TYPES.getMediaTypeRegistry();
    }

    /** The format of the bytes: one with a magic number, or some kind of text. */
    public enum Format {
        PDF,
        /** A zip, which may be of parts. */
        ZIP,
        /** A mail as Outlook saves it. */
        MSG,
        /** A mail as it is sent. */
        EML,
        RTF,
        HTML,
        TEXT
    }

    /**
     * @param isCalledMail whether a header without any encoding makes it a mail
     * @throws Rejection {@code type_not_allowed}, {@code encrypted}
     */
    public static Format format(byte[] file, boolean isCalledMail) {
        if (MailHeader.begins(file, isCalledMail)) {
            return Format.EML;
        }
        var type = detected(file);
        var name = type.getBaseType().toString();
        if (name.equals(DocumentType.PDF.mediaType())) {
            return Format.PDF;
        } else if (file.length > 3 && file[0] == 'P' && file[1] == 'K' && file[2] == 3 && file[3] == 4) {
            return Format.ZIP;
        } else if (MARKUP.contains(name)) {
            return Format.HTML;
        } else if (OLE.contains(name)) {
            CompoundFile.check(file);
            return Format.MSG;
        } else if (RTF.contains(name)) {
            return Format.RTF;
        } else if (!name.equals(UNREADABLE)
                && (isText(type)
                        || TextDecoder.hasMark(file)
                        || name.equals(UNKNOWN)
                                && (EncodingDetector.detectWide(file).isPresent()
                                        || !EncodingDetector.hasControls(file)))) {
            return Format
                    .TEXT; // Tika does not recognise text in other encodings than UTF-8 if most of it is not Latin.
        }
        throw notAllowed(name);
    }

    public static Rejection notAllowed(String type) {
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
}
