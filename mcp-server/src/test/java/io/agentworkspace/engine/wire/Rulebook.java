package io.agentworkspace.engine.wire;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The official schema of one revision from {@code src/test/resources/mcp}, with the definition for each kind of
 * message. Each is compiled once.
 */
final class Rulebook {
    static final String MODERN = "2026-07-28";
    static final String NOVEMBER_2025 = "2025-11-25";
    static final String MARCH_2025 = "2025-03-26";

    private static final Map<String, Rulebook> ALL = Stream.of(MARCH_2025, "2025-06-18", NOVEMBER_2025, MODERN)
            .collect(Collectors.toMap(revision -> revision, Rulebook::new));

    private final String revision;
    private final String place;
    private final JsonNode definitions;
    private final SchemaRegistry registry;
    private final Map<String, Schema> compiled = new ConcurrentHashMap<>();

    /** The names of the definitions of requests, notifications and errors, by method or code. */
    private final Map<String, String> names = new HashMap<>();

    private Rulebook(String revision) {
        this.revision = revision;
        var bytes = read(revision);
        var json = Json.read(bytes);
        var word = json.has("$defs") ? "$defs" : "definitions";
        var address = "https://schemas.test/" + revision;
        place = "%s#/%s/".formatted(address, word);
        definitions = json.get(word);
        registry = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12,
                builder -> builder.schemas(Map.of(address, new String(bytes, StandardCharsets.UTF_8))));
        for (var name : definitions.propertyNames()) {
            var definition = definitions.get(name);
            var subject = name.endsWith("Error")
                    ? definition.at("/properties/error/allOf/1/properties/code/const")
                    : definition.at("/properties/method/const");
            names.putIfAbsent(subject.asString(""), name);
        }
    }

    private static byte[] read(String revision) {
        try (var file = Rulebook.class.getResourceAsStream("/mcp/schema-%s.json".formatted(revision))) {
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Optional<Rulebook> find(String revision) {
        return Optional.ofNullable(ALL.get(revision));
    }

    static Rulebook of(String revision) {
        return find(revision).orElseThrow();
    }

    boolean is(String other) {
        return revision.equals(other);
    }

    boolean has(String definition) {
        return definitions.has(definition);
    }

    /** Returns the definition of the request or notification with this method, if the revision has it. */
    Optional<String> message(String method) {
        return Optional.ofNullable(names.get(method));
    }

    /** Returns the definition of errors with this code, if there is a specific one. */
    Optional<String> error(int code) {
        return Optional.ofNullable(names.get(Integer.toString(code)));
    }

    /** Returns the definition of the results of this method, if the revision has it. */
    Optional<String> result(String method) {
        return message(method)
                .map(request -> request.replaceFirst("Request$", "Result"))
                .map(result -> has(result) ? result : "EmptyResult");
    }

    /** Returns what is wrong with a value, by one of the definitions. */
    List<String> wrongs(String definition, JsonNode value) {
        if (!has(definition)) {
            return List.of("%s has no %s".formatted(revision, definition));
        }
        return compiled
                .computeIfAbsent(definition, name -> registry.getSchema(SchemaLocation.of(place + name)))
                .validate(value)
                .stream()
                .map(error -> "%s of %s: %s".formatted(definition, revision, error))
                .toList();
    }
}
