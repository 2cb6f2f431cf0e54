package io.agentworkspace.engine.memory.facts;

import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.facts.Value.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What one sentence states: values of a subject.
 *
 * @param subject the words that say what the values are of, in normal form
 * @param when words that say at what time it holds
 * @param mood whether it is so, was so, or is planned; others are not compared
 * @param state the word of a pair of opposites, such as enabled and disabled; empty if there is none
 * @param isNot whether it is denied
 * @param shown the subject's words as they are in the sentence
 * @param tokens all that it says, to compare it with another sentence
 * @param sentence as it was written
 */
public record Claim(
        Set<String> subject,
        Set<String> when,
        Mood mood,
        String state,
        boolean isNot,
        List<Value> values,
        String shown,
        Set<String> tokens,
        String sentence) {
    /** In which way something is said. */
    public enum Mood {
        FACT,
        PAST,
        PLAN,
        OTHER
    }

    private static final int CHARACTERS = 8_000;
    private static final int SENTENCES = 40;
    private static final int LONGEST = 400;
    private static final int LONGEST_NAME = 4;

    private static final Pattern BETWEEN_SENTENCES = Pattern.compile("(?<=[.!?;])\\s+|\\n+");

    private static final Pattern BETWEEN_CLAUSES = Pattern.compile(",?\\s+(?:and|but|while|whereas)\\s+");

    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}_][\\p{L}\\p{N}_'\u2019/+#-]*|[=:]");

    /** A value may be said to be of what is before one of these. */
    private static final Pattern COPULA = Pattern.compile(
            "\\s(?:is|are|was|were)\\s+(?:now\\s+|currently\\s+)?(?:called\\s+|named\\s+|(?:owned|maintained|led|managed|run|edited)"
                    + " by\\s+|(?:written|based|born|hosted|deployed|stored|located)"
                    + " (?:in|on|at|by|to)\\s+)?|\\s*=\\s*|:\\s+|\\s(?:lives? in|works? (?:at|for)|reports? to|written"
                    + " in|based in|hosted (?:on|in|at|by)|married to|named|called)\\s+");

    /** A value before one of these belongs to the subject if there is another one after it. */
    private static final Pattern VERB = Pattern.compile(
            COPULA.pattern()
                    + "|\\s(?:has|have|had|costs?|takes?|needs?|requires?|holds?|contains?|supports?|runs?|starts?|ends?|opens?|closes?|expires?|lasts?|fixes|leaves?|covers?)\\s");

    private static final Set<String> EMPTY = words("""
        a an the this that these those our my your their his her its of for in on at to by with from and or as is are was were be been \
        being am has have had do does did it we they he she you i there here now currently set configured equals called named \
        exactly just located based value = : listens listen uses use used always still already today per each every about around least \
        most up than over under roughly approximately circa between until more less all also only o'clock will\
        """);

    private static final Set<String> NOT =
            words("not no never without cannot can't don't doesn't isn't aren't won't wasn't didn't hasn't haven't");

    private static final Set<String> PAST = words("""
        was were had previously formerly former old originally initially earlier ago yesterday past legacy didn't wasn't did once \
        before until then\
        """);

    private static final Set<String> PLAN =
            words("will plan planned plans planning going shall scheduled target goal intend intends");

    private static final Set<String> OTHER = words("""
        should would could might may maybe perhaps probably if unless propose proposed proposal suggest suggested consider considering \
        want wants wish hope hopes ideally estimate estimated expected guess think thinks whether versus vs or either example e.g \
        changed moved raised increased reduced renamed migrated upgraded switched replaced lowered became grew fell rose\
        """);

    private static final Set<String> WHEN = words("""
        yesterday tomorrow last next week month quarter year morning afternoon evening night noon weekend weekends weekdays weekday winter \
        summer spring autumn q1 q2 q3 q4 holiday holidays christmas easter january february march april june july august september \
        october november december\
        """);

    /** Nouns whose value may be a plain word: "the database is postgres". */
    private static final Set<String> ATTRIBUTES = words("""
        color colour language database region owner format currency status license branch framework engine provider protocol algorithm \
        theme timezone role type editor browser shell capital mode strategy broker queue cache host user username channel method encoding \
        diet name manager lead contact vendor supplier platform compiler runtime registry scheduler level size password shape material \
        codename species breed hobby nickname hometown city country fuel instrument sport team\
        """);

    /** Opposites that are something else unless they end the sentence. */
    private static final Set<String> ENDS = Set.of("on", "off", "no");

    /** Words that mean the same, and opposites: one of each pair after the sign. */
    private static final Map<String, String> SAME = new HashMap<>();

    private static final Map<String, String> OPPOSITES = new HashMap<>();

    static {
        for (var pair : """
            db/database prod/production config/configuration auth/authentication repo/repository k8s/kubernetes max/maximum \
            min/minimum phone/telephone mail/email e-mail/email begins/starts begin/start finishes/ends finish/end price/cost \
            owns/owner owned/owner colour/color postgres/postgresql env/environment dev/development app/application docs/documentation \
            maintains/maintainer limited/limit\
            """.split("\\s+")) {
            var two = pair.split("/");
            SAME.put(two[0], two[1]);
        }
        for (var pair : """
            enabled,enables/disabled,disables on/off open/closed true/false yes/no allowed,permitted/forbidden,prohibited,banned \
            required,mandatory/optional active/inactive public/private online/offline supported/unsupported available/unavailable \
            valid/invalid possible/impossible approved/rejected included/excluded paid/unpaid encrypted/unencrypted accepts/rejects \
            writable/read-only locked/unlocked visible/hidden synchronous/asynchronous\
            """.split("\\s+")) {
            var sides = pair.split("/");
            var word = sides[0].split(",")[0];
            List.of(sides[0].split(",")).forEach(each -> OPPOSITES.put(each, "+" + word));
            List.of(sides[1].split(",")).forEach(each -> OPPOSITES.put(each, "-" + word));
        }
    }

    private static Set<String> words(String list) {
        return Set.copyOf(List.of(list.strip().split("\\s+")));
    }

    /** Returns what the first sentences of a text state. Longer sentences are left out, so the work is bounded. */
    public static List<Claim> of(String text) {
        return BETWEEN_SENTENCES
                .splitAsStream(text.substring(0, Math.min(text.length(), CHARACTERS)))
                .filter(sentence -> !sentence.isBlank() && sentence.length() <= LONGEST)
                .limit(SENTENCES)
                .flatMap(sentence -> clauses(sentence).stream())
                .map(Claim::read)
                .filter(claim -> !claim.tokens().isEmpty())
                .toList();
    }

    /** Divides a sentence where each part has a value and a verb of its own. */
    private static List<String> clauses(String sentence) {
        var parts = List.of(BETWEEN_CLAUSES.split(sentence));
        return parts.size() > 1 && parts.stream().allMatch(Claim::isWhole) ? parts : List.of(sentence);
    }

    private static boolean isWhole(String clause) {
        return COPULA.matcher(clause).find()
                || clause.split("\\s+").length > 3 && ValueReader.read(clause).size() == 1;
    }

    /** A word of a sentence. */
    private record Token(String word, String stem, String shown, int start, int end) {}

    private static Claim read(String raw) {
        var sentence = raw.strip().replaceFirst("^[-*\u2022]\\s+", "").replaceFirst("[.!;]+$", "");
        var found = ValueReader.read(sentence);
        var tokens = tokens(sentence, found);
        var verb = verb(sentence);
        var after = found.stream().anyMatch(value -> value.start() >= verb);
        var values = new ArrayList<>(
                found.stream().filter(value -> !after || value.start() >= verb).toList());
        var name = values.isEmpty() ? name(sentence, tokens) : Optional.<Value>empty();
        name.ifPresent(values::add);
        var claim = new Reading(name.orElse(null));
        tokens.forEach(token -> claim.add(token, token.equals(tokens.getLast())));
        found.stream().filter(value -> !values.contains(value)).forEach(value -> claim.subject.add(value.word()));
        values.forEach(value -> claim.all.add(value.word()));
        var mood = sentence.endsWith("?") ? Mood.OTHER : claim.mood;
        return new Claim(
                Set.copyOf(claim.subject),
                Set.copyOf(claim.when),
                mood,
                claim.state,
                claim.isNot,
                List.copyOf(values),
                String.join(" ", claim.shown),
                Set.copyOf(claim.all),
                sentence);
    }

    /** Gathers what the words of a sentence say. */
    private static final class Reading {
        private final @Nullable Value name;
        private final Set<String> subject = new LinkedHashSet<>();
        private final Set<String> when = new LinkedHashSet<>();
        private final Set<String> all = new LinkedHashSet<>();
        private final List<String> shown = new ArrayList<>();
        private Mood mood = Mood.FACT;
        private String state = "";
        private boolean isNot;

        Reading(@Nullable Value name) {
            this.name = name;
        }

        void add(Token token, boolean isLast) {
            var word = token.word();
            mood = mood(word);
            var isState =
                    name == null && state.isEmpty() && OPPOSITES.containsKey(word) && (isLast || !ENDS.contains(word));
            if (isState) {
                state = Objects.requireNonNull(OPPOSITES.get(word));
                all.add(state);
            } else if (NOT.contains(word)) {
                isNot = !isNot;
                all.add("not");
            } else if (name == null || token.start() < name.start() || token.end() > name.end()) {
                addToSubject(token);
            }
        }

        private void addToSubject(Token token) {
            if (WHEN.contains(token.word())) {
                when.add(token.stem());
                all.add(token.stem());
            } else if (!EMPTY.contains(token.word()) && !PLAN.contains(token.word())) {
                subject.add(token.stem());
                all.add(token.stem());
                shown.add(token.shown());
            }
        }

        private Mood mood(String word) {
            if (OTHER.contains(word) || mood == Mood.OTHER) {
                return Mood.OTHER;
            }
            return PAST.contains(word) ? Mood.PAST : PLAN.contains(word) && mood == Mood.FACT ? Mood.PLAN : mood;
        }
    }

    private static List<Token> tokens(String sentence, List<Value> values) {
        var stems = new HashMap<Integer, String>();
        for (var term : TextAnalysis.stemTerms(Language.ENGLISH, sentence)) {
            stems.putIfAbsent(term.start(), term.text());
        }
        return WORD.matcher(sentence)
                .results()
                .filter(match ->
                        values.stream().noneMatch(value -> value.start() < match.end() && match.start() < value.end()))
                .map(match -> {
                    var word = match.group()
                            .toLowerCase(Locale.ROOT)
                            .replace('\u2019', '\'')
                            .replaceFirst("'s?$", "");
                    var same = SAME.get(word);
                    var stem = same == null ? stems.getOrDefault(match.start(), word) : stem(same);
                    return new Token(word, stem, match.group(), match.start(), match.end());
                })
                .toList();
    }

    private static String stem(String word) {
        var terms = TextAnalysis.stemTerms(Language.ENGLISH, word);
        return terms.isEmpty() ? word : terms.getFirst().text();
    }

    /** Returns where the first verb is before which a value belongs to the subject; 0 if there is none. */
    private static int verb(String sentence) {
        var verb = VERB.matcher(sentence);
        return verb.find() ? verb.end() : 0;
    }

    /** Returns the name that is all that a sentence says of its subject: "the owner is Ann", "region = eu-west". */
    private static Optional<Value> name(String sentence, List<Token> tokens) {
        var copula = COPULA.matcher(sentence);
        if (!copula.find() || copula.start() == 0) {
            return Optional.empty();
        }
        var rest = sentence.substring(copula.end());
        var before = sentence.substring(0, copula.start());
        if (rest.matches("(?:the|our|\\p{Lu}\\p{L}+'s)\\s.*") && isName(before)) {
            return Optional.of(named(before, 0));
        }
        var words = rest.split("\\s+");
        var isPlain = words.length == 1
                && (copula.group().contains("=")
                        || copula.group().contains(":")
                        || tokens.stream()
                                .anyMatch(token -> token.start() < copula.start() && ATTRIBUTES.contains(token.word())))
                && words[0].matches("[\\p{L}\\p{N}_./+#-]{2,}")
                && !OPPOSITES.containsKey(words[0].toLowerCase(Locale.ROOT));
        return isPlain || isName(rest) ? Optional.of(named(rest, copula.end())) : Optional.empty();
    }

    private static boolean isName(String text) {
        var words = text.split("\\s+");
        return words.length <= LONGEST_NAME
                && text.matches("(?:\\p{Lu}[\\p{L}\\p{N}'.+#-]*|of|de|van|\\s)+")
                && !text.startsWith("of");
    }

    private static Value named(String text, int start) {
        var normal = text.strip().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
        return Value.text(Kind.NAME, "", normal, text.strip(), start, start + text.length());
    }
}
