package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.schema.Doc;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How much a caller may still do before a limit applies. */
public record Allowance(
        @Doc(
                "What is limited: rate, the requests of your credential; or what the tenant's plan limits: commands, each UTC"
                        + " day, agents, domains, banks, memories, documents (none yet), webhook_endpoints.")
        String scope,

        @Doc("How many are allowed at once, or in the window.")
        long limit,

        @Doc("How many of them are left at this moment.") long remaining,

        @Doc("Of rate, in how many seconds all of them come back; of commands, the seconds of a day; else absent.")
        @Nullable
        Long windowSeconds,

        @Doc("In how many seconds all of them are there again; absent where time gives nothing back.") @Nullable
        Long resetSeconds) {
    /** The requests of a credential. */
    public static final String RATE = "rate";

    /** Supplies what is left; empty if nothing is limited. */
    @FunctionalInterface
    public interface Meter {
        List<Allowance> left(Caller caller);

        /** What is left of these, and of those. */
        default Meter and(Meter others) {
            return caller -> Stream.concat(left(caller).stream(), others.left(caller).stream())
                    .toList();
        }

        /** The commands that the caller's tenant has run today, as far as this replica knows. */
        default long ran(Caller caller) {
            return 0;
        }
    }
}
