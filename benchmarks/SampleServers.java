import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** The twenty servers of {@code sets/servers.txt}: what each of their tools is called, says of itself and takes. */
final class SampleServers {
    private static final Path SETS = Path.of("benchmarks/sets");
    private static final Map<String, String> VERBS =
            Map.of("L", "list", "G", "get", "C", "create", "U", "update", "D", "delete", "S", "search");

    /** A tool: its key in the tasks, such as {@code chat message pin}, and how its server describes it. */
    record Sample(String key, ObjectNode definition) {
        String name() {
            return definition.path("name").asString();
        }

        Sample as(String other) {
            return new Sample(other, definition);
        }
    }

    private SampleServers() {}

    /** Returns the tools of each server, in the order of the file. */
    static Map<String, List<Sample>> read() throws IOException {
        var servers = new LinkedHashMap<String, List<Sample>>();
        var server = "";
        var style = "";
        for (var line : lines("servers.txt")) {
            if (line.startsWith("[")) {
                var words = line.substring(1, line.length() - 1).split(" ");
                server = words[0];
                style = words[1];
                servers.put(server, new ArrayList<>());
            } else {
                servers.get(server).addAll(tools(server, style, line.split(" \\| ")));
            }
        }
        return servers;
    }

    /** Returns each task with the key of the tool that is right for it. */
    static Map<String, String> tasks(String file) throws IOException {
        var tasks = new LinkedHashMap<String, String>();
        for (var line : lines(file)) {
            var parts = line.split(" = ");
            tasks.put(parts[0], parts[1]);
        }
        return tasks;
    }

    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(SETS.resolve(file)).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }

    private static List<Sample> tools(String server, String style, String[] parts) {
        var names = parts[0].split("/");
        var tools = new ArrayList<Sample>();
        for (var part : parts[4].split(" ; ")) {
            if (part.contains("=")) {
                var verb = part.substring(0, part.indexOf('='));
                var text = part.substring(part.indexOf('=') + 1);
                tools.add(sample(server, style, verb, names[0], text, List.of(id(names[0])), parts[3]));
            } else {
                for (var letter : part.split(" ")) {
                    tools.add(usual(server, style, VERBS.get(letter), names, parts));
                }
            }
        }
        return tools;
    }

    private static Sample usual(String server, String style, String verb, String[] names, String[] parts) {
        var one = words(names[0]);
        var many = words(names[1]);
        var text = switch (verb) {
            case "list" -> "Returns the %s of the %s, a page at a time.".formatted(many, parts[1]);
            case "get" -> "Returns one %s by its id: %s.".formatted(one, parts[2]);
            case "create" -> "Makes a new %s: %s.".formatted(one, parts[2]);
            case "update" -> "Changes the part fields of one %s: %s.".formatted(one, parts[2]);
            case "delete" -> "Removes one %s for good.".formatted(one);
            default -> "Searches the %s by text and filters.".formatted(many);
        };
        var required = switch (verb) {
            case "list" -> List.of(id(parts[1].replace(' ', '_')));
            case "create" -> List.of(parts[3].split(",")[0]);
            case "search" -> List.of("query");
            default -> List.of(id(names[0]));
        };
        var fields = switch (verb) {
            case "list" -> "page,page_size,sort";
            case "search" -> "limit,sort";
            case "create", "update" -> parts[3];
            default -> "";
        };
        return sample(server, style, verb, verb.equals("list") || verb.equals("search") ? names[1] : names[0], text, required, fields)
                .as("%s %s %s".formatted(server, names[0], verb));
    }

    private static Sample sample(
            String server, String style, String verb, String thing, String text, List<String> required, String fields) {
        var tool = Callers.JSON.createObjectNode().put("name", named(style, verb, thing)).put("description", text);
        var schema = tool.putObject("inputSchema").put("type", "object");
        var properties = schema.putObject("properties");
        var all = new ArrayList<>(required);
        Arrays.stream(fields.split(",")).filter(field -> !field.isEmpty() && !all.contains(field)).forEach(all::add);
        for (var field : all) {
            properties.putObject(field)
                    .put("type", "string")
                    .put("description", "The %s of the %s.".formatted(words(field), words(thing)));
        }
        required.forEach(schema.putArray("required")::add);
        tool.putObject("annotations")
                .put("readOnlyHint", List.of("list", "get", "search").contains(verb))
                .put("destructiveHint", verb.equals("delete"));
        return new Sample("%s %s %s".formatted(server, thing, verb), tool);
    }

    private static String id(String thing) {
        return thing.replace('-', '_') + "_id";
    }

    /** Returns a name as it is read: {@code pull_request} is a pull request. */
    static String words(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1 $2").replaceAll("[_-]", " ").toLowerCase(Locale.ROOT);
    }

    private static String named(String style, String verb, String thing) {
        var spoken = List.of((words(verb) + " " + words(thing)).split(" "));
        return switch (style) {
            case "snake" -> String.join("_", spoken);
            case "camel" -> spoken.getFirst() + capitals(spoken.subList(1, spoken.size()));
            case "pascal" -> capitals(spoken);
            case "dotted" -> "%s.%s".formatted(words(thing).replace(' ', '_'), words(verb).replace(' ', '_'));
            default -> "%s-%s".formatted(words(thing).replace(' ', '-'), words(verb).replace(' ', '-'));
        };
    }

    private static String capitals(List<String> words) {
        return words.stream()
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
    }
}
