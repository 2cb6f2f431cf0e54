package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Golden;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** The official conformance suite, run against an address with a key. */
final class Referee {
    private static final String PACKAGE = "@modelcontextprotocol/conformance";

    /** The status of checks for which the server lacks the fixtures. */
    static final String UNTESTABLE = "UNTESTABLE";

    private final String url;
    private final String key;

    Referee(String url, String key) {
        this.url = url;
        this.key = key;
    }

    static String version() {
        return Node.version(PACKAGE);
    }

    /** Returns the date of this version: from npm where pages are rewritten, else from the page. */
    static String published(String page) {
        if (Golden.isUpdating()) {
            return Node.published(PACKAGE, version());
        }
        var release = Pattern.compile(
                        Pattern.quote(PACKAGE + "@" + version()) + "`, published on (\\d{4}-\\d\\d-\\d\\d)")
                .matcher(page);
        return release.find() ? release.group(1) : "a day that npm knows";
    }

    /** Returns the scenarios that a revision requires of a server, from the suite's own list. */
    static List<String> required(String revision) {
        var lines = text(Node.module(PACKAGE).resolve("requirements").resolve(revision + ".yaml"))
                .lines()
                .toList();
        return lines.subList(lines.indexOf("server:") + 1, lines.size()).stream()
                .takeWhile(line -> line.startsWith("  - "))
                .map(line -> line.substring("  - ".length()).strip())
                .toList();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The result of a scenario: the number of its checks by status. */
    record Verdict(String scenario, Map<String, Integer> checks, List<String> complaints) {
        boolean passed() {
            return complaints.isEmpty();
        }

        /** Returns whether something was checked and only excused checks failed. */
        boolean passedBut(Collection<String> excused) {
            return count("SUCCESS") > 0 && excused.containsAll(complained());
        }

        /** Returns the failed checks. */
        List<String> complained() {
            return complaints.stream()
                    .map(complaint -> complaint.split(":", 2)[0])
                    .toList();
        }

        int count(String status) {
            return checks.getOrDefault(status, 0);
        }

        @Override
        public String toString() {
            return "%s %s %s".formatted(scenario, checks, complaints);
        }
    }

    /** Runs all scenarios of a revision, scored or not. */
    Map<String, Verdict> requirements(String revision) {
        try {
            return run(Node.module(PACKAGE), revision);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs some scenarios of a revision in one process: a copy of the suite that requires only them. */
    List<Verdict> scenarios(List<String> names, String revision) {
        try {
            var copy = Files.createTempDirectory("conformance");
            for (var file : List.of("package.json", "dist/index.js")) {
                Files.createDirectories(copy.resolve(file).getParent());
                Files.copy(Node.module(PACKAGE).resolve(file), copy.resolve(file));
            }
            Files.createSymbolicLink(copy.resolve("node_modules"), Node.module(""));
            var required = Files.createDirectory(copy.resolve("requirements"));
            Files.writeString(
                    required.resolve(revision + ".yaml"),
                    names.stream().map("  - %s\n"::formatted).collect(Collectors.joining("", "server:\n", "")));
            var verdicts = run(copy, revision);
            return names.stream()
                    .map(name -> verdicts.getOrDefault(name, new Verdict(name, Map.of(), List.of("it did not run"))))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, Verdict> run(Path suite, String revision) throws IOException {
        var results = Files.createTempDirectory("conformance");
        var program = suite.resolve("dist/index.js").toString();
        Node.run(
                Map.of("NODE_OPTIONS", "--import " + Node.script("add-header.mjs"), "ADD_HEADER", "X-API-Key: " + key),
                List.of(
                        program,
                        "server",
                        "--url",
                        url,
                        "--output-dir",
                        results.toString(),
                        "--requirements",
                        revision));
        return verdicts(results);
    }

    private static Map<String, Verdict> verdicts(Path results) throws IOException {
        var verdicts = new TreeMap<String, Verdict>();
        try (var folders = Files.list(results)) {
            for (var folder : folders.filter(Files::isDirectory).toList()) {
                var scenario = folder.getFileName()
                        .toString()
                        .replaceFirst("^server-", "")
                        .replaceFirst("-\\d{4}-\\d\\d-\\d\\dT.*$", "");
                verdicts.put(scenario, verdict(scenario, read(folder.resolve("checks.json"))));
            }
        }
        return verdicts;
    }

    private static Verdict verdict(String scenario, JsonNode checks) {
        var counts = new TreeMap<String, Integer>();
        var complaints = new ArrayList<String>();
        for (var check : checks) {
            var untestable = check.at("/details/untestable").asBoolean(false);
            var status = untestable ? UNTESTABLE : check.path("status").asString("");
            counts.merge(status, 1, Integer::sum);
            if (status.equals("FAILURE") || status.equals("WARNING")) {
                complaints.add("%s: %s"
                        .formatted(
                                check.path("id").asString(""),
                                check.path("errorMessage").asString("")));
            }
        }
        return new Verdict(scenario, counts, complaints);
    }

    private static JsonNode read(Path file) {
        try {
            return Json.read(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
