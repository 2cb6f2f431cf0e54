package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The automata of two globs, run side by side. A place is a state of each, and whether the path so far ends in the name of a file
 * or folder.
 */
final class GlobProduct {
    private final GlobParser mine;
    private final GlobParser theirs;
    private final StepAllowance allowance;
    private final BitSet seen = new BitSet();
    private int[] next = new int[64];
    private int waiting;

    GlobProduct(GlobParser mine, GlobParser theirs, StepAllowance allowance) {
        this.mine = mine;
        this.theirs = theirs;
        this.allowance = allowance;
    }

    /** Returns whether some path without empty names runs through both to their ends. */
    boolean hasCommonPath() {
        visit(0, 0, false);
        while (waiting > 0) {
            var place = next[--waiting];
            var inName = (place & 1) == 1;
            var one = (place >> 1) / theirs.size();
            var two = (place >> 1) % theirs.size();
            if (inName && one == mine.end() && two == theirs.end()) {
                return true;
            }
            mine.silent(one).forEach(to -> visit(to, two, inName));
            theirs.silent(two).forEach(to -> visit(one, to, inName));
            follow(one, two, inName);
        }
        return false;
    }

    private void follow(int one, int two, boolean inName) {
        for (var my : mine.steps(one)) {
            for (var their : theirs.steps(two)) {
                allowance.take(my.on().size() + their.on().size());
                var both = my.on().and(their.on());
                if (both.hasOtherThan('/')) {
                    visit(my.to(), their.to(), true);
                }
                if (inName && both.contains('/')) {
                    visit(my.to(), their.to(), false);
                }
            }
        }
    }

    private void visit(int one, int two, boolean inName) {
        allowance.take();
        var place = (one * theirs.size() + two) * 2 + (inName ? 1 : 0);
        if (!seen.get(place)) {
            seen.set(place);
            if (waiting == next.length) {
                next = Arrays.copyOf(next, 2 * waiting);
            }
            next[waiting++] = place;
        }
    }
}
