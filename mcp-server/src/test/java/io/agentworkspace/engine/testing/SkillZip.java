package io.agentworkspace.engine.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A skill as a user would pack it: compressed, with timestamps. */
public final class SkillZip {
    private final Map<String, byte[]> files = new LinkedHashMap<>();

    private SkillZip() {}

    /** Returns a skill with only a SKILL.md. */
    public static SkillZip of(String name, String body) {
        return ofText("""
                ---
                name: %s
                description: Tells of %s.
                ---
                %s
                """.formatted(name, name, body));
    }

    /** Returns a skill from a complete SKILL.md. */
    public static SkillZip ofText(String skillMd) {
        return new SkillZip().with("SKILL.md", skillMd);
    }

    public SkillZip with(String path, String text) {
        return with(path, text.getBytes(StandardCharsets.UTF_8));
    }

    public SkillZip with(String path, byte[] bytes) {
        files.put(path, bytes);
        return this;
    }

    public byte[] bytes() {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes)) {
            for (var file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public String base64() {
        return Base64.getEncoder().encodeToString(bytes());
    }
}
