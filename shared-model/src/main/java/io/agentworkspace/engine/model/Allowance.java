package io.agentworkspace.engine.model;

import java.util.List;

/** What a caller may still do before a limit stops it. */
public record Allowance(
        @Doc("What is limited: rate, the requests of your credential.")
        String scope,

        @Doc("How many are allowed at once.") long limit,
        @Doc("How many of them are left at this moment.") long remaining,
        @Doc("In how many seconds all of them come back.") long windowSeconds) {

    /** Knows what is left; nothing where nothing is limited. */
    @FunctionalInterface
    public interface Meter {
        List<Allowance> left(Caller caller);
    }
}
