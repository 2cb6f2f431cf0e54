package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.schema.Doc;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How much a caller can still do before a limit applies. */
public record Allowance(
        @Doc("rate: the requests of your credential. Otherwise what the tenant's plan limits: commands (each UTC"
                + " day), agents, domains, banks, memories, documents, webhook_endpoints or tasks.")
        String scope,

        @Doc("How many are allowed at once, or in the window.")
        long limit,

        @Doc("How many are left now.") long remaining,

        @Doc("Length of the window in seconds, for rate and commands; otherwise absent.") @Nullable
        Long windowSeconds,

        @Doc("Seconds until the full limit is available again; absent for limits that time does not restore.") @Nullable
        Long resetSeconds) {
    /** The scope of the limit on a credential's requests. */
    public static final String RATE = "rate";

    /** Returns what a caller has left; empty if nothing is limited. */
    @FunctionalInterface
    public interface Meter {
        List<Allowance> left(Caller caller);

        /** Combines what is left of these limits and of the others. */
        default Meter and(Meter others) {
            return caller -> Stream.concat(left(caller).stream(), others.left(caller).stream())
                    .toList();
        }

        /** Returns how many commands the caller's tenant has run today, as far as this replica knows. */
        default long ran(Caller caller) {
            return 0;
        }
    }
}
