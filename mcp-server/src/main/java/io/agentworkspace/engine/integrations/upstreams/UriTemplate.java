package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The URIs that a template (RFC 6570) stands for. A simple variable is a part without slashes, any other expression may
 * have some. What matches is found in one pass over the URI. Each of its characters is compared with up to all parts of the template, which a
 * server writes: callers give an allowance.
 */
final class UriTemplate {
    private static final Pattern CLIMBS = Pattern.compile("(?i)(^|[/\\\\]|%2f|%5c)(\\.|%2e){1,2}($|[/\\\\?#]|%2f|%5c)");

    /** A letter to find, or one of the two below. */
    private final List<Integer> tokens = new ArrayList<>();

    private static final int PART = -1;
    private static final int ANY = -2;

    UriTemplate(String template) {
        var at = 0;
        while (at < template.length()) {
            var end = template.charAt(at) == '{' ? template.indexOf('}', at) : -1;
            if (end < 0) {
                tokens.add((int) template.charAt(at++));
            } else {
                tokens.add(Character.isLetterOrDigit(template.charAt(at + 1)) ? PART : ANY);
                at = end + 1;
            }
        }
    }

    /** Returns whether the URI is one of them, and does not climb out of the place that the template names. */
    boolean matches(String uri, StepAllowance allowance) {
        if (CLIMBS.matcher(uri).find()) {
            return false;
        }
        var reached = closed(start());
        for (var i = 0; i < uri.length() && !reached.isEmpty(); i++) {
            allowance.take(reached.cardinality());
            reached = after(reached, uri.charAt(i));
        }
        return reached.get(tokens.size());
    }

    private static BitSet start() {
        var first = new BitSet();
        first.set(0);
        return first;
    }

    private BitSet after(BitSet reached, char letter) {
        var next = new BitSet();
        for (var at = reached.nextSetBit(0); at >= 0 && at < tokens.size(); at = reached.nextSetBit(at + 1)) {
            int token = tokens.get(at);
            if (token == letter) {
                next.set(at + 1);
            } else if (token == ANY || token == PART && "/?#".indexOf(letter) < 0) {
                next.set(at);
            }
        }
        return closed(next);
    }

    /** Adds what is reached where a variable is empty or has ended. */
    private BitSet closed(BitSet reached) {
        for (var at = reached.nextSetBit(0); at >= 0 && at < tokens.size(); at = reached.nextSetBit(at + 1)) {
            if (tokens.get(at) < 0) {
                reached.set(at + 1);
            }
        }
        return reached;
    }
}
