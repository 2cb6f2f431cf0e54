package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.poi.poifs.filesystem.POIFSFileSystem;

/** A compound file (OLE), in which Outlook saves mails, and older Office programs saved everything. */
final class CompoundFile {
    private static final String MAIL = "__properties_version1.0";
    private static final Set<String> ENCRYPTED = Set.of("EncryptedPackage", "EncryptionInfo");
    private static final Map<String, String> OLDER = Map.of(
            "WordDocument", "a Word document of the older format (.doc), to be saved as DOCX",
            "Workbook", "an Excel workbook of the older format (.xls), to be saved as XLSX",
            "Book", "an Excel workbook of the older format (.xls), to be saved as XLSX",
            "PowerPoint Document", "a PowerPoint presentation of the older format (.ppt), to be saved as PPTX");

    private CompoundFile() {}

    /** @throws Rejection unless it is a mail */
    static void check(byte[] file) {
        Set<String> names;
        try (var opened = new POIFSFileSystem(new ByteArrayInputStream(file))) {
            names = opened.getRoot().getEntryNames();
        } catch (IOException | RuntimeException e) {
            throw Rejection.damaged("it is a compound file (OLE) that cannot be opened", null);
        }
        if (names.stream().anyMatch(ENCRYPTED::contains)) {
            throw new Rejection(
                    Code.ENCRYPTED, "it is an Office document protected by a password; save it without one");
        } else if (names.stream()
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).equals(MAIL))) {
            throw TypeDetector.notAllowed(names.stream()
                    .filter(OLDER::containsKey)
                    .findFirst()
                    .map(OLDER::get)
                    .orElse("application/x-ole-storage"));
        }
    }
}
