package io.agentworkspace.engine.model.document;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The types of documents that are accepted (decisions, section 10). */
public enum DocumentType {
    TEXT("text/plain", "plain text", "txt", "text", "log"),
    MARKDOWN("text/markdown", "Markdown", "md", "markdown"),
    HTML("text/html", "HTML", "html", "htm", "xhtml"),
    PDF("application/pdf", "PDF", "pdf"),
    JSON("application/json", "JSON", "json"),
    CSV("text/csv", "CSV", "csv", "tsv"),
    DOCX("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "DOCX", "docx");

    /** All of them, for a reader. */
    public static final String ALL = "plain text, Markdown, HTML, PDF, JSON, CSV and DOCX";

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

    /** Whether what looks like one of these may be meant as the other: texts whose content is what their author calls it. */
    public boolean isLike(DocumentType other) {
        return this == other || isPlain() && other.isPlain();
    }

    private boolean isPlain() {
        return this == TEXT || this == MARKDOWN || this == CSV;
    }

    /** What a media type claims; empty for one that claims nothing that is accepted. */
    public static Optional<DocumentType> ofMediaType(String mediaType) {
        var plain = mediaType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return switch (plain) {
            case "application/xhtml+xml" -> Optional.of(HTML);
            case "text/x-markdown" -> Optional.of(MARKDOWN);
            case "text/json" -> Optional.of(JSON);
            case "text/tab-separated-values" -> Optional.of(CSV);
            default ->
                Arrays.stream(values())
                        .filter(type -> type.mediaType.equals(plain))
                        .findFirst();
        };
    }

    /** What the ending of a file's name claims. */
    public static Optional<DocumentType> ofName(String name) {
        var ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return name.indexOf('.') < 0
                ? Optional.empty()
                : Arrays.stream(values())
                        .filter(type -> type.endings.contains(ending))
                        .findFirst();
    }
}
