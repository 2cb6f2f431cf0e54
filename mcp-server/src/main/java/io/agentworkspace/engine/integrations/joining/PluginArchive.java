package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.model.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import tools.jackson.databind.node.ObjectNode;

/** The plugin for coding agents: the files of {@code clients/workspace} as a zip, always the same bytes. */
final class PluginArchive {
    static final String PATH = "/join/workspace.zip";

    /** Resources cannot be listed. A test compares this with the folder. */
    private static final List<String> FILES = List.of(
            ".claude-plugin/plugin.json",
            ".codex-plugin/plugin.json",
            ".mcp.json",
            "README.md",
            "codex-mcp.json",
            "hook.sh",
            "hooks/claude.json",
            "hooks/codex.json",
            "listener.sh",
            "monitor.sh",
            "monitors/monitors.json",
            "skills/workspace/SKILL.md");

    /** The real time would change the digest. */
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

    private final byte[] bytes = zip();

    byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the marketplace of Claude Code from which it installs the archive. */
    ObjectNode marketplace(String baseUrl) {
        var marketplace = Json.object().put("name", "agent-workspace");
        marketplace.putObject("owner").put("name", "Agent Workspace Engine");
        var plugin = marketplace.putArray("plugins").addObject().put("name", "workspace");
        plugin.putObject("source")
                .put("source", "archive")
                .put("url", baseUrl + PATH)
                .put("sha256", sha256());
        plugin.put("description", "Messages between agents that wake your session, and a shared memory.");
        return marketplace;
    }

    private String sha256() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] zip() {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes, StandardCharsets.UTF_8)) {
            zip.setMethod(ZipOutputStream.STORED);
            for (var path : FILES) {
                var file = read(path);
                var entry = new ZipEntry(path);
                entry.setTimeLocal(NO_TIME);
                entry.setSize(file.length);
                entry.setCrc(crc(file));
                zip.putNextEntry(entry);
                zip.write(file);
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] read(String path) throws IOException {
        try (var stream = PluginArchive.class.getResourceAsStream("/clients/workspace/" + path)) {
            if (stream == null) {
                throw new IllegalStateException("the plugin has no file " + path);
            }
            return stream.readAllBytes();
        }
    }

    private static long crc(byte[] file) {
        var crc = new CRC32();
        crc.update(file);
        return crc.getValue();
    }
}
