import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Texts and questions with known answers: our own notes and, given their folders, public sets, which are not included.
 * docs/dev/search-quality.md names their sources.
 */
final class SearchSets {
    private static final int SMALL = 35;

    /** A question, and the numbers of the turns that answer it. */
    private static final Pattern ASKED = Pattern.compile("[?!] (.*\\?)([ \\d]*)");

    /** As LoCoMo writes the time of a session. */
    private static final DateTimeFormatter SESSION = new DateTimeFormatterBuilder()
            .parseCaseInsensitive()
            .appendPattern("h:mm a 'on' d MMMM, yyyy")
            .toFormatter(Locale.ENGLISH);

    private SearchSets() {}

    /**
     * Texts and queries, with the numbers and grades of the relevant texts of each query.
     *
     * @param name sets of the same name are measured together
     * @param bank where the texts are stored
     * @param conversation the texts as turns of a document, of which they are loaded; null if each is stored as a memory
     */
    record Set(
            String name,
            String bank,
            List<String> texts,
            List<String> queries,
            List<Map<Integer, Integer>> answers,
            @Nullable String conversation) {
        Set(String name, String bank, List<String> texts, List<String> queries, List<Map<Integer, Integer>> answers) {
            this(name, bank, texts, queries, answers, null);
        }
    }

    /** Returns the sets that are wanted, by their names. */
    static Map<String, List<Set>> read(Bench.Options options) throws IOException {
        var most = options.number("banks", Integer.MAX_VALUE);
        var sets = new ArrayList<Set>();
        var notes = notes();
        sets.add(notes);
        sets.addAll(smallBanks(notes));
        sets.addAll(keywords(notes));
        sets.add(ownConversation());
        var cranfield = options.text("cranfield");
        if (cranfield != null) {
            sets.add(cranfield(Path.of(cranfield)));
        }
        var xquad = options.text("xquad");
        if (xquad != null) {
            try (var files = Files.list(Path.of(xquad))) {
                for (var file : files.sorted().toList()) {
                    sets.add(xquad(file));
                }
            }
        }
        var locomo = options.text("locomo");
        if (locomo != null) {
            try (var files = Files.list(Path.of(locomo))) {
                for (var file : files.filter(each -> each.toString().endsWith(".json")).sorted().toList()) {
                    sets.add(conversation(file, "sessions"));
                    sets.add(conversation(file, "turns"));
                    sets.add(conversation(file, "conversations"));
                }
            }
        }
        var beam = options.text("beam");
        if (beam != null) {
            try (var files = Files.list(Path.of(beam))) {
                for (var folder : files.filter(Files::isDirectory).sorted().toList()) {
                    sets.addAll(beam(folder));
                }
            }
        }
        var all = sets.stream().map(Set::name).distinct().collect(Collectors.joining(","));
        var names = List.of(options.text("sets", all).split(","));
        for (var name : names) {
            if (sets.stream().noneMatch(set -> set.name().startsWith(name))) {
                throw new IllegalArgumentException("there is no set %s; given their folders, there are %s".formatted(name, all));
            }
        }
        return sets.stream()
                .filter(set -> names.stream().anyMatch(set.name()::startsWith))
                .collect(Collectors.groupingBy(
                        Set::name,
                        LinkedHashMap::new,
                        Collectors.collectingAndThen(Collectors.toList(), of -> of.subList(0, Math.min(most, of.size())))));
    }

    /** Our own: memories, questions in other words about some of them, and questions without an answer. */
    static Set notes() throws IOException {
        var texts = new ArrayList<String>();
        var queries = new ArrayList<String>();
        var answers = new ArrayList<Map<Integer, Integer>>();
        for (var line : Files.readAllLines(Path.of("benchmarks/sets/notes.txt"))) {
            var text = line.substring(Math.min(2, line.length()));
            if (line.startsWith("= ")) {
                texts.add(text);
            } else if (line.startsWith("? ") || line.startsWith("! ")) {
                queries.add(text);
                answers.add(line.startsWith("?") ? Map.of(texts.size() - 1, 1) : Map.of());
            }
        }
        return new Set("notes", "notes", texts, queries, answers);
    }

    /** Our own conversation, loaded as a document. */
    private static Set ownConversation() throws IOException {
        var turns = new ArrayList<String>();
        var queries = new ArrayList<String>();
        var answers = new ArrayList<Map<Integer, Integer>>();
        for (var line : Files.readAllLines(Path.of("benchmarks/sets/conversations.txt"))) {
            var question = ASKED.matcher(line);
            if (line.startsWith("[")) {
                turns.add(line);
            } else if (question.matches()) {
                queries.add(question.group(1));
                answers.add(Stream.of(question.group(2).strip().split(" "))
                        .filter(number -> !number.isEmpty())
                        .collect(Collectors.toMap(number -> Integer.parseInt(number) - 1, _ -> 1)));
            }
        }
        var texts = turns.stream().map(turn -> turn.substring(turn.indexOf(']') + 2)).toList();
        return new Set("own", "own", texts, queries, answers, String.join("\n", turns));
    }

    /** The same in banks of a few notes. A fifth of the questions is asked in a bank without the note that answers it. */
    private static List<Set> smallBanks(Set notes) {
        var sets = new ArrayList<Set>();
        for (var first = 0; first < notes.texts().size(); first += SMALL) {
            var texts = notes.texts().subList(first, Math.min(notes.texts().size(), first + SMALL));
            var queries = new ArrayList<String>();
            var answers = new ArrayList<Map<Integer, Integer>>();
            for (var i = 0; i < notes.queries().size(); i++) {
                var expected = notes.answers().get(i).keySet().stream().findFirst().orElse(-1) - first;
                var isHere = expected >= 0 && expected < texts.size();
                if (isHere || i % (5 * 6) == sets.size() * 5 || notes.answers().get(i).isEmpty() && i % 6 == sets.size()) {
                    queries.add(notes.queries().get(i));
                    answers.add(isHere ? Map.of(expected, 1) : Map.of());
                }
            }
            sets.add(new Set("small", "small-" + first, texts, queries, answers));
        }
        return sets;
    }

    /** Notes asked for by two or three of their words, of which every other one is misspelt. */
    private static List<Set> keywords(Set notes) {
        var texts = notes.texts().subList(0, 70);
        var queries = new ArrayList<String>();
        var answers = new ArrayList<Map<Integer, Integer>>();
        var misspelt = new ArrayList<String>();
        for (var i = 0; i < texts.size(); i++) {
            var words = Stream.of(texts.get(i).split("\\W+")).filter(word -> word.length() > 5).distinct().limit(2 + i % 2).toList();
            if (words.size() >= 2) {
                queries.add(String.join(" ", words).toLowerCase(java.util.Locale.ROOT));
                misspelt.add(words.stream().map(word -> word.substring(0, 3) + word.substring(4)).collect(Collectors.joining(" ")));
                answers.add(Map.of(i, 1));
            }
        }
        return List.of(new Set("keywords", "keywords", texts, queries, answers), new Set("misspelt", "misspelt", texts, misspelt, answers));
    }

    private static Set xquad(Path file) throws IOException {
        var texts = new ArrayList<String>();
        var queries = new ArrayList<String>();
        var answers = new ArrayList<Map<Integer, Integer>>();
        for (var article : Callers.JSON.readTree(text(file)).path("data")) {
            for (var paragraph : article.path("paragraphs")) {
                texts.add(paragraph.path("context").asString());
                for (var question : paragraph.path("qas")) {
                    queries.add(question.path("question").asString());
                    answers.add(Map.of(texts.size() - 1, 1));
                }
            }
        }
        var language = file.getFileName().toString().split("\\.")[1];
        return new Set("xquad-" + language, "xquad-" + language, texts, queries, answers);
    }

    /** Reads the Cranfield set. Its queries are numbered by their order in the file, from 1. */
    private static Set cranfield(Path folder) throws IOException {
        var texts = elements(text(folder.resolve("cran.all.1400.xml.gz")), "doc")
                .map(text -> element(text, "title") + "\n" + element(text, "text"))
                .map(text -> text.isBlank() ? "(empty)" : text)
                .toList();
        var queries = elements(text(folder.resolve("cran.qry.xml.gz")), "top").map(query -> element(query, "title")).toList();
        var answers = Stream.generate(() -> (Map<Integer, Integer>) new HashMap<Integer, Integer>()).limit(queries.size()).toList();
        for (var line : text(folder.resolve("cranqrel.trec.txt.gz")).lines().toList()) {
            var parts = line.strip().split("\\s+");
            if (Integer.parseInt(parts[3]) > 0) {
                answers.get(Integer.parseInt(parts[0]) - 1).put(Integer.parseInt(parts[2]) - 1, Integer.parseInt(parts[3]));
            }
        }
        return new Set("cranfield", "cranfield", texts, queries, answers);
    }

    /**
     * Reads a conversation of several sessions. Each session is a memory, or each turn is one, or it is loaded as a document. Only then
     * there are also its questions without an answer, which have the category 5.
     */
    private static Set conversation(Path file, String name) throws IOException {
        var conversation = json(file);
        var areSessions = name.equals("sessions");
        var isLoaded = name.equals("conversations");
        var document = new StringBuilder();
        var texts = new ArrayList<String>();
        var places = new HashMap<String, Integer>();
        for (var number = 1; conversation.has("session_%d_date_time".formatted(number)); number++) {
            var session = new ArrayList<String>();
            var time = LocalDateTime.parse(conversation.path("session_%d_date_time".formatted(number)).asString(), SESSION);
            for (var turn : conversation.path("session_" + number)) {
                document.append("[%sZ] %s: %s%n".formatted(
                        DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time.plusMinutes(session.size())),
                        turn.path("speaker").asString(),
                        turn.path("text").asString("")));
                session.add(turn.path("speaker").asString() + ": " + turn.path("text").asString(""));
                places.put(turn.path("dia_id").asString(), areSessions ? texts.size() : texts.size() + session.size() - 1);
            }
            if (!session.isEmpty() && areSessions) {
                texts.add(conversation.path("session_%d_date_time".formatted(number)).asString() + "\n" + String.join("\n", session));
            } else {
                texts.addAll(session);
            }
        }
        var queries = new ArrayList<String>();
        var answers = new ArrayList<Map<Integer, Integer>>();
        for (var question : conversation.path("qa")) {
            var found = question.path("evidence").valueStream().map(each -> places.get(each.asString())).filter(Objects::nonNull).distinct();
            var expected = found.collect(Collectors.toMap(place -> place, _ -> 1));
            var isAnswerable = question.path("category").asInt() != 5;
            if (isAnswerable ? !expected.isEmpty() : isLoaded) {
                queries.add(question.path("question").asString());
                answers.add(isAnswerable ? expected : Map.of());
            }
        }
        var bank = name + "-" + file.getFileName().toString().replace(".json", "");
        return new Set(name, bank, texts, queries, answers, isLoaded ? document.toString() : null);
    }

    /**
     * Reads a long conversation of a user with an assistant. Each message is a memory, and each question names the messages that it
     * needs, or has no answer. Questions for the whole conversation, which name none, are left out.
     */
    private static List<Set> beam(Path folder) throws IOException {
        var cut = folder.resolve("chat_trunecated.json");
        var places = new HashMap<Integer, Integer>();
        var texts = new ArrayList<String>();
        for (var batch : json(Files.exists(cut) ? cut : folder.resolve("chat.json"))) {
            batch.path("turns").valueStream().flatMap(JsonNode::valueStream).forEach(message -> {
                places.put(message.path("id").asInt(), texts.size());
                texts.add(message.path("role").asString() + ": " + message.path("content").asString().replaceFirst(" ->-> [\\d,]+$", ""));
            });
        }
        var bank = "beam-" + folder.getFileName();
        var sets = new ArrayList<Set>();
        json(folder.resolve("probing_questions/probing_questions.json")).properties().forEach(kind -> {
            var queries = new ArrayList<String>();
            var answers = new ArrayList<Map<Integer, Integer>>();
            for (var question : kind.getValue()) {
                var named = new TreeSet<Integer>();
                numbers(question.path("source_chat_ids"), named);
                var expected = named.stream().map(places::get).filter(Objects::nonNull).collect(Collectors.toMap(place -> place, _ -> 1));
                if (!expected.isEmpty() || kind.getKey().equals("abstention")) {
                    queries.add(question.path("question").asString());
                    answers.add(expected);
                }
            }
            sets.add(new Set("beam-" + kind.getKey(), bank, texts, queries, answers));
        });
        return sets;
    }

    private static void numbers(JsonNode from, java.util.Set<Integer> numbers) {
        if (from.isContainer()) {
            from.forEach(each -> numbers(each, numbers));
        } else if (from.isInt()) {
            numbers.add(from.asInt());
        }
    }

    private static JsonNode json(Path file) throws IOException {
        return Callers.JSON.readTree(Files.readAllBytes(file));
    }

    private static Stream<String> elements(String xml, String name) {
        return Pattern.compile("<%1$s>(.*?)</%1$s>".formatted(name), Pattern.DOTALL).matcher(xml).results().map(found -> found.group(1));
    }

    private static String element(String xml, String name) {
        return elements(xml, name).collect(Collectors.joining()).strip().replaceAll("\\s+", " ");
    }

    private static String text(Path file) throws IOException {
        try (var in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
