import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Measures the quality of MB_Search on public sets, and its speed as a bank grows. The sets are not included;
 * docs/memory.md names their sources.
 */
final class Search implements Bench.Benchmark {
    private static final int HITS = 10;
    private static final int ATTEMPTS = 20;
    private static final int SMALL = 35;

    /** Of larger sets only some questions are fitted to. */
    private static final int FITTED = 300;

    private static final List<String> MODES = List.of("text", "vector", "hybrid");

    /**
     * Texts and queries, with the numbers and grades of the relevant texts of each query.
     *
     * @param name sets of the same name are measured together
     * @param bank where the texts are stored
     */
    private record Set(String name, String bank, List<String> texts, List<String> queries, List<Map<Integer, Integer>> answers) {}

    /** What the queries of a set found. */
    private static final class Tally {
        private final List<Long> took = new ArrayList<>();
        private int texts;
        private int first;
        private int fifth;
        private int tenth;
        private double gain;
        private int answered;
        private int abstained;
        private int rightly;

        void print(String name, String mode) {
            var latencies = new Callers.Latencies(took.stream().mapToLong(Long::longValue).sorted().toArray());
            var queries = (double) answered;
            System.out.printf(
                    "%-14s %-7s %7d %7d %6.3f %6.3f %6.3f %8.3f %8.2f %8.2f%n",
                    name, mode, texts, took.size(), first / queries, fifth / queries, tenth / queries, gain / queries, latencies.millis(0.5), latencies.millis(0.99));
            var without = took.size() - answered;
            if (without > 0) {
                System.out.printf(
                        "  abstained %d times on %d questions without an answer and %d with one: precision %.3f, recall %.3f%n",
                        abstained, without, answered, rightly / (double) Math.max(1, abstained), rightly / (double) without);
            }
        }
    }

    @Override
    public String words() {
        return "what MB_Search finds, and how fast [--cranfield folder] [--xquad folder] [--locomo folder] [--sets notes,cranfield,xquad,turns,sessions] [--every 1] [--memories 10000] [--tenant 1000000] [--seconds 10] [--data folder-that-is-kept] [--fit] [--only quality|growth|stores] [--rounds 20]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var only = options.text("only", "quality, growth");
        if (only.contains("stores")) {
            new Stores(options.number("rounds", 20), options.number("seconds", 2)).measure();
            return;
        }
        if (options.given().contains("--fit")) {
            fit(options);
            return;
        }
        try (var engine = Engine.startWith(options.text("data"))) {
            var callers = new Callers(engine.url(), engine.key());
            if (only.contains("quality")) {
                find(options, engine, callers);
            }
            if (only.contains("growth")) {
                new SearchGrowth(engine, callers, options.number("seconds", 10)).measure(options.number("memories", 10_000), options.number("tenant", 0));
            }
        }
    }

    private static void find(Bench.Options options, Engine engine, Callers callers) throws Exception {
        System.out.printf("%-14s %-7s %7s %7s %6s %6s %6s %8s %8s %8s%n", "set", "mode", "texts", "queries", "hit@1", "hit@5", "hit@10", "nDCG@10", "p50 ms", "p99 ms");
        var every = options.number("every", 1);
        for (var together : sets(options).values()) {
            var tallies = MODES.stream().map(_ -> new Tally()).toList();
            for (var set : together) {
                find(callers, set, store(engine, callers, set), every, tallies);
            }
            for (var i = 0; i < MODES.size(); i++) {
                tallies.get(i).print(together.getFirst().name(), MODES.get(i));
            }
        }
    }

    /** Fits the score to the even questions of the sets, and measures it on the odd ones. */
    private static void fit(Bench.Options options) throws Exception {
        try (var engine = Engine.startLogging(ScoreFit.LOGGING)) {
            var callers = new Callers(engine.url(), engine.key());
            var fit = new ScoreFit(engine.log());
            for (var set : sets(options).values().stream().flatMap(List::stream).toList()) {
                var numbers = store(engine, callers, set);
                fit.next();
                var step = set.queries().size() > FITTED ? options.number("every", 7) : 1;
                for (var i = 0; i < set.queries().size(); i += step) {
                    var answers = set.answers().get(i);
                    var found = search(callers, set.bank(), plain(set.queries().get(i)), "hybrid");
                    var areAnswers = found.ids().stream().map(id -> answers.containsKey(numbers.get(id))).toList();
                    fit.add(set.name(), i / step, found.ids(), areAnswers, !answers.isEmpty());
                }
            }
            fit.print();
        }
    }

    /** Quotation marks would search for phrases. */
    private static String plain(String query) {
        return query.replaceAll("[\"“”„«»]", " ");
    }

    private static Map<String, List<Set>> sets(Bench.Options options) throws IOException {
        var sets = new ArrayList<Set>();
        var notes = notes();
        sets.add(notes);
        sets.addAll(smallBanks(notes));
        sets.addAll(keywords(notes));
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
                    sets.add(conversation(file, true));
                    sets.add(conversation(file, false));
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
                .collect(Collectors.groupingBy(Set::name, LinkedHashMap::new, Collectors.toList()));
    }

    /** Returns the numbers of the texts by the ids of their memories, which all have their vectors then. */
    private static Map<String, Integer> store(Engine engine, Callers callers, Set set) throws Exception {
        var bank = set.bank();
        callers.call(new Callers.Work("MB_Create", named(bank)));
        var numbers = new HashMap<String, Integer>();
        for (var i = 0; i < set.texts().size(); i++) {
            var stored = callers.call(new Callers.Work("MB_Store", in(bank, set.texts().get(i), Map.of())));
            numbers.put(stored.at("/memory/id").asString(), i);
        }
        search(callers, bank, "warm", "hybrid"); // Loads the model, and reads the bank into the index.
        awaitVectors(engine);
        return numbers;
    }

    private static void awaitVectors(Engine engine) throws Exception {
        try (var database = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = database.createStatement()) {
            while (true) {
                try (var waiting = statement.executeQuery("SELECT count(*) FROM memory_vector WHERE vectors IS NULL")) {
                    waiting.next();
                    if (waiting.getLong(1) == 0) {
                        return;
                    }
                }
                Thread.sleep(200);
            }
        }
    }

    /** Each query in all modes, one after the other: the model embeds it once. */
    private static void find(Callers callers, Set set, Map<String, Integer> numbers, int every, List<Tally> tallies) throws Exception {
        for (var i = 0; i < set.queries().size(); i += every) {
            var query = plain(set.queries().get(i));
            for (var mode = 0; mode < MODES.size(); mode++) {
                count(tallies.get(mode), callers, set, numbers, query, set.answers().get(i), MODES.get(mode));
            }
        }
        tallies.forEach(tally -> tally.texts += set.texts().size());
    }

    private static void count(Tally tally, Callers callers, Set set, Map<String, Integer> numbers, String query, Map<Integer, Integer> answers, String mode)
            throws Exception {
        var began = System.nanoTime();
        var found = search(callers, set.bank(), query, mode);
        for (var more = 0; more < ATTEMPTS && mode.equals("vector") && !found.mode().equals(mode); more++) {
            began = System.nanoTime(); // The model was busy. For the next mode the vector is known.
            found = search(callers, set.bank(), query, mode);
        }
        if (mode.equals("vector") && !found.mode().equals(mode)) {
            throw new IllegalStateException("the model was busy in each of %d attempts: %s".formatted(1 + ATTEMPTS, query));
        }
        tally.took.add(System.nanoTime() - began);
        tally.answered += answers.isEmpty() ? 0 : 1;
        tally.abstained += found.isAbstaining() ? 1 : 0;
        tally.rightly += found.isAbstaining() && answers.isEmpty() ? 1 : 0;
        var grades = found.ids().stream().map(id -> answers.getOrDefault(numbers.get(id), 0)).toList();
        tally.first += grades.stream().limit(1).anyMatch(grade -> grade > 0) ? 1 : 0;
        tally.fifth += grades.stream().limit(5).anyMatch(grade -> grade > 0) ? 1 : 0;
        tally.tenth += grades.stream().anyMatch(grade -> grade > 0) ? 1 : 0;
        var best = answers.values().stream().sorted(Comparator.reverseOrder()).toList();
        tally.gain += best.isEmpty() ? 0 : gain(grades) / gain(best);
    }

    private record Found(List<String> ids, boolean isAbstaining, String mode) {}

    private static Found search(Callers callers, String bank, String query, String mode) throws Exception {
        var found = callers.call(new Callers.Work("MB_Search", in(bank, query, Map.of("page", Map.of("limit", HITS), "mode", mode, "min_score", 0))));
        var ids = found.at("/content").valueStream().map(hit -> hit.path("id").asString()).toList();
        return new Found(ids, found.path("abstain").asBoolean(), found.path("mode").asString());
    }

    private static Map<String, ?> named(String name) {
        return Map.of("vx", Map.of("name", name));
    }

    private static Map<String, ?> in(String bank, String content, Map<String, ?> more) {
        var arguments = new HashMap<String, Object>(more);
        arguments.put("target", Map.of("bank", bank));
        arguments.put("content", content);
        return arguments;
    }

    private static double gain(List<Integer> grades) {
        var gain = 0.0;
        for (var i = 0; i < Math.min(HITS, grades.size()); i++) {
            gain += grades.get(i) * Math.log(2) / Math.log(i + 2);
        }
        return gain;
    }

    /** Our own: memories, questions in other words about some of them, and questions without an answer. */
    private static Set notes() throws IOException {
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
        for (var article : Callers.JSON.readTree(read(file)).path("data")) {
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
        var texts = elements(read(folder.resolve("cran.all.1400.xml.gz")), "doc")
                .map(text -> element(text, "title") + "\n" + element(text, "text"))
                .map(text -> text.isBlank() ? "(empty)" : text)
                .toList();
        var queries = elements(read(folder.resolve("cran.qry.xml.gz")), "top").map(query -> element(query, "title")).toList();
        var answers = Stream.generate(() -> (Map<Integer, Integer>) new HashMap<Integer, Integer>()).limit(queries.size()).toList();
        for (var line : read(folder.resolve("cranqrel.trec.txt.gz")).lines().toList()) {
            var parts = line.strip().split("\\s+");
            if (Integer.parseInt(parts[3]) > 0) {
                answers.get(Integer.parseInt(parts[0]) - 1).put(Integer.parseInt(parts[2]) - 1, Integer.parseInt(parts[3]));
            }
        }
        return new Set("cranfield", "cranfield", texts, queries, answers);
    }

    /**
     * Reads a conversation of several sessions. Each session is a memory, or each turn is one. Questions without an answer in the
     * conversation, which have the category 5, are left out.
     */
    private static Set conversation(Path file, boolean areSessions) throws IOException {
        var conversation = Callers.JSON.readTree(Files.readAllBytes(file));
        var texts = new ArrayList<String>();
        var places = new HashMap<String, Integer>();
        for (var number = 1; conversation.has("session_%d_date_time".formatted(number)); number++) {
            var session = new ArrayList<String>();
            for (var turn : conversation.path("session_" + number)) {
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
            if (question.path("category").asInt() != 5 && !expected.isEmpty()) {
                queries.add(question.path("question").asString());
                answers.add(expected);
            }
        }
        var name = areSessions ? "sessions" : "turns";
        return new Set(name, name + "-" + file.getFileName().toString().replace(".json", ""), texts, queries, answers);
    }

    private static Stream<String> elements(String xml, String name) {
        return Pattern.compile("<%1$s>(.*?)</%1$s>".formatted(name), Pattern.DOTALL).matcher(xml).results().map(found -> found.group(1));
    }

    private static String element(String xml, String name) {
        return elements(xml, name).collect(Collectors.joining()).strip().replaceAll("\\s+", " ");
    }

    private static String read(Path file) throws IOException {
        try (var in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
