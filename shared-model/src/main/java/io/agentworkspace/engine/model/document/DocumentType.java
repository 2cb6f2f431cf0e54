package io.agentworkspace.engine.model.document;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The accepted types of documents (decisions, section 10). */
public enum DocumentType {
    TEXT("text/plain", "plain text", "txt", "text", "log"),
    MARKDOWN("text/markdown", "Markdown", "md", "markdown"),
    HTML("text/html", "HTML", "html", "htm", "xhtml"),
    PDF("application/pdf", "PDF", "pdf"),
    JSON("application/json", "JSON", "json"),
    CSV("text/csv", "CSV", "csv", "tsv"),
    DOCX("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "DOCX", "docx"),
    XLSX("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "XLSX", "xlsx"),
    PPTX("application/vnd.openxmlformats-officedocument.presentationml.presentation", "PPTX", "pptx", "ppsx"),
    ODT("application/vnd.oasis.opendocument.text", "ODT", "odt"),
    ODS("application/vnd.oasis.opendocument.spreadsheet", "ODS", "ods"),
    ODP("application/vnd.oasis.opendocument.presentation", "ODP", "odp"),
    RTF("application/rtf", "RTF", "rtf"),
    EPUB("application/epub+zip", "EPUB", "epub"),
    EML("message/rfc822", "EML", "eml"),
    MSG("application/vnd.ms-outlook", "MSG", "msg");

    /** All types, in words for a reader. */
    public static final String ALL =
            "plain text, Markdown, HTML, PDF, JSON, CSV, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML and MSG";

    private final String mediaType;
    private final String title;
    private final List<String> endings;

    DocumentType(String mediaType, String title, String... endings) {
        this.mediaType = mediaType;
        this.title = title;
        this.endings = List.of(endings);
    }

    public String mediaType() {
        return mediaType;
    }

    public String title() {
        return title;
    }

    /**
     * Returns whether a file that looks like this type may be declared as the other. Whether a text is plain text,
     * Markdown or CSV is its author's choice.
     */
    public boolean isLike(DocumentType other) {
        return this == other || isPlain() && other.isPlain();
    }

    private boolean isPlain() {
        return this == TEXT || this == MARKDOWN || this == CSV;
    }

    /** Returns the document type that a media type declares; empty if that is not an accepted type. */
    public static Optional<DocumentType> ofMediaType(String mediaType) {
        var plain = mediaType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return switch (plain) {
            case "application/xhtml+xml" -> Optional.of(HTML);
            case "text/x-markdown" -> Optional.of(MARKDOWN);
            case "text/json" -> Optional.of(JSON);
            case "text/rtf" -> Optional.of(RTF);
            case "text/tab-separated-values" -> Optional.of(CSV);
            default ->
                Arrays.stream(values())
                        .filter(type -> type.mediaType.equals(plain))
                        .findFirst();
        };
    }

    /** Returns the document type of a file name's extension; empty if it is not an accepted one. */
    public static Optional<DocumentType> ofName(String name) {
        var ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return name.indexOf('.') < 0
                ? Optional.empty()
                : Arrays.stream(values())
                        .filter(type -> type.endings.contains(ending))
                        .findFirst();
    }
}
