package io.agentworkspace.engine.skills;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The media types of files, by name. */
final class MediaTypes {
    private static final String PLAIN = "text/plain";
    private static final String BINARY = "application/octet-stream";

    private static final Map<String, String> BY_EXTENSION = Map.ofEntries(
            Map.entry("md", "text/markdown"),
            Map.entry("txt", PLAIN),
            Map.entry("csv", "text/csv"),
            Map.entry("html", "text/html"),
            Map.entry("css", "text/css"),
            Map.entry("js", "text/javascript"),
            Map.entry("mjs", "text/javascript"),
            Map.entry("py", "text/x-python"),
            Map.entry("sh", "text/x-shellscript"),
            Map.entry("json", "application/json"),
            Map.entry("yaml", "application/yaml"),
            Map.entry("yml", "application/yaml"),
            Map.entry("toml", "application/toml"),
            Map.entry("xml", "application/xml"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("png", "image/png"),
            Map.entry("jpg", "image/jpeg"),
            Map.entry("jpeg", "image/jpeg"),
            Map.entry("gif", "image/gif"),
            Map.entry("webp", "image/webp"),
            Map.entry("pdf", "application/pdf"),
            Map.entry("zip", "application/zip"),
            Map.entry("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            Map.entry("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            Map.entry("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"));

    private static final Set<String> TEXT_OF_APPLICATIONS =
            Set.of("application/json", "application/yaml", "application/toml", "application/xml", "image/svg+xml");

    private MediaTypes() {}

    /** Returns the media type. A file of an unknown type is plain text if it can be read as such. */
    static String of(String path, byte[] bytes) {
        var name = path.substring(path.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        var type = BY_EXTENSION.get(name.substring(name.lastIndexOf('.') + 1));
        if (type != null && name.contains(".")) {
            return type;
        }
        var readable = SkillFile.decoded(bytes).filter(text -> text.indexOf('\0') < 0);
        return readable.isPresent() ? PLAIN : BINARY;
    }

    static boolean isText(String mediaType) {
        return mediaType.startsWith("text/") || TEXT_OF_APPLICATIONS.contains(mediaType);
    }
}
