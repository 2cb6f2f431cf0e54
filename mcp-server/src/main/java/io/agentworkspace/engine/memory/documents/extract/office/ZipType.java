package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.TypeDetector;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import io.agentworkspace.engine.model.document.DocumentType;
import java.util.List;
import java.util.regex.Pattern;

/** Detects which type a zip of parts has, by what it declares, and has it read. */
public final class ZipType {
    private static final String OOXML = "[Content_Types].xml";
    private static final String MANIFEST = "META-INF/manifest.xml";
    private static final String ENCRYPTION = "META-INF/encryption.xml";
    private static final List<DocumentType> NAMED =
            List.of(DocumentType.ODT, DocumentType.ODS, DocumentType.ODP, DocumentType.EPUB);

    /** The algorithms that only make fonts unusable elsewhere. */
    private static final Pattern CIPHER = Pattern.compile(
            "EncryptionMethod[^>]{0,200}Algorithm=[\"'](?!http://www\\.idpf\\.org|http://ns\\.adobe\\.com)");

    private ZipType() {}

    /** @throws Rejection if it is of another type, damaged or encrypted */
    public static DocumentType of(ZipPackage zip) {
        var declared = zip.text("mimetype").strip();
        var named =
                NAMED.stream().filter(type -> type.mediaType().equals(declared)).findFirst();
        if (named.isPresent()) {
            refuseEncrypted(zip, named.get());
            return named.get();
        }
        var types = zip.text(OOXML);
        if (types.contains("wordprocessingml.document.main+xml")) {
            return DocumentType.DOCX;
        } else if (types.contains("spreadsheetml.sheet.main+xml")) {
            return DocumentType.XLSX;
        } else if (types.contains("presentationml.presentation.main+xml")
                || types.contains("presentationml.slideshow.main+xml")) {
            return DocumentType.PPTX;
        }
        throw TypeDetector.notAllowed(kind(types, declared));
    }

    private static void refuseEncrypted(ZipPackage zip, DocumentType type) {
        if (type == DocumentType.EPUB
                ? CIPHER.matcher(zip.text(ENCRYPTION)).find()
                : zip.text(MANIFEST).contains("encryption-data")) {
            throw new Rejection(
                    Code.ENCRYPTED,
                    type == DocumentType.EPUB
                            ? "it is a book with copy protection; submit one without it"
                            : "it is protected by a password; save it without one");
        }
    }

    private static String kind(String types, String declared) {
        if (types.contains("macroEnabled")) {
            return "an Office document with macros, which has to be saved without them";
        } else if (types.contains("spreadsheetml") || types.contains("ms-excel")) {
            return "an Excel file that is no XLSX";
        } else if (types.contains("presentationml")) {
            return "a PowerPoint file that is no PPTX";
        } else if (types.contains("wordprocessingml")) {
            return "a Word file that is no DOCX";
        }
        return declared.matches("application/[\\w.+-]{1,80}") ? declared : "application/zip";
    }

    /** Writes the text of a package of this type. */
    public static void extract(ZipPackage zip, DocumentType type, BlockWriter out) {
        switch (type) {
            case DOCX -> DocxExtractor.extract(zip, out);
            case XLSX -> XlsxExtractor.extract(zip, out);
            case PPTX -> PptxExtractor.extract(zip, out);
            case EPUB -> EpubExtractor.extract(zip, out);
            default -> OdfExtractor.extract(zip, out);
        }
    }
}
