package io.agentworkspace.engine.memory.facts;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a correction replaced. For each sentence of the old text that the new text does not repeat, it has the words that were dropped and
 * those that the new text has, too.
 */
public final class Replaced {
    /** The share of a sentence's other words that another text must have to be about the same. */
    private static final double ABOUT = 0.5;

    private static final double SAME = 0.75;

    /** A query has so many characters at most, and a text so many queries. */
    private static final int QUERY = 400;

    private static final int QUERIES = 4;

    private final List<Sentence> sentences;
    private final Set<String> gained;

    /**
     * A sentence of the old text.
     *
     * @param lost what the new text does not have
     */
    private record Sentence(Set<String> kept, Set<String> lost, String text) {
        /** Returns how much of it the other text's sentence has. */
        double in(Set<String> other, Set<String> gained) {
            var lostThere = count(lost, other);
            var keptThere = count(kept, other);
            var all = kept.size() + lost.size();
            if (lost.isEmpty()) { // The correction only adds something.
                var united = other.size() + all - keptThere;
                return count(gained, other) == 0 && keptThere >= SAME * united ? (double) keptThere / united : 0;
            }
            return lostThere == 0
                            || count(gained, other) >= lostThere
                            || lostThere < ABOUT * lost.size()
                            || keptThere < ABOUT * kept.size()
                    ? 0
                    : (double) (lostThere + keptThere) / all;
        }
    }

    private Replaced(List<Sentence> sentences, Set<String> gained) {
        this.sentences = sentences;
        this.gained = gained;
    }

    public static Replaced of(List<Claim> before, List<Claim> corrected) {
        var now = tokens(corrected);
        var gained = new HashSet<>(now);
        gained.removeAll(tokens(before));
        var sentences = new ArrayList<Sentence>();
        for (var claim : before) {
            var lost = new HashSet<>(claim.tokens());
            lost.removeAll(now);
            var kept = new HashSet<>(claim.tokens());
            kept.removeAll(lost);
            sentences.add(new Sentence(Set.copyOf(kept), Set.copyOf(lost), claim.sentence()));
        }
        var changed = sentences.stream().filter(each -> !each.lost().isEmpty()).toList();
        return new Replaced(changed.isEmpty() ? sentences : changed, Set.copyOf(gained));
    }

    /** Returns the replaced sentences as a few queries for what may still say them. */
    public List<String> queries() {
        var queries = new ArrayList<String>();
        var query = new StringBuilder();
        for (var sentence : sentences) {
            if (query.length() + sentence.text().length() > QUERY && !query.isEmpty()) {
                queries.add(query.toString());
                query.setLength(0);
            }
            query.append(sentence.text()).append(' ');
        }
        queries.add(query.toString());
        return queries.stream().filter(each -> !each.isBlank()).limit(QUERIES).toList();
    }

    /** Returns how much of what was replaced the text still says, from 0 to 1: one of its sentences has the old value, and not the new one. */
    public double saidBy(List<Claim> text) {
        var best = 0.0;
        for (var claim : text) {
            for (var sentence : sentences) {
                best = Math.max(best, sentence.in(claim.tokens(), gained));
            }
        }
        return best;
    }

    private static Set<String> tokens(List<Claim> claims) {
        return claims.stream().flatMap(claim -> claim.tokens().stream()).collect(Collectors.toSet());
    }

    private static long count(Set<String> of, Set<String> in) {
        return of.stream().filter(in::contains).count();
    }
}
