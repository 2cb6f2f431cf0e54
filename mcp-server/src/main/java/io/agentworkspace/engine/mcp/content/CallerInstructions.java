package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.mcp.content.WelcomeQueries.Welcome;
import io.agentworkspace.engine.mcp.source.CallOrigin;
import io.agentworkspace.engine.mcp.source.InstructionSource;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Catalogue;
import java.time.Clock;
import java.util.Optional;

/**
 * The instructions of the MCP endpoint, written for the credential: who it is, what waits, and what it may use. They name
 * only tools that the caller has. Clients show their beginning alone, or repeat them, so the beginning is enough to
 * start with, and some clients get fewer.
 */
final class CallerInstructions implements InstructionSource {
    private static final int LONGEST = 2_000;

    /** Codex repeats the instructions for each tool. */
    private static final int LONGEST_REPEATED = 1_000;

    private static final String REPEATS = "codex-mcp-client";

    /** How many banks are named at most, and how many zones. */
    private static final int NAMES = 10;

    private static final String WHO = "US_Read";

    private final Catalogue catalogue;
    private final WelcomeQueries queries;
    private final Clock clock;

    CallerInstructions(Catalogue catalogue, WelcomeQueries queries, Clock clock) {
        this.catalogue = catalogue;
        this.queries = queries;
        this.clock = clock;
    }

    @Override
    public String instructions(CallOrigin request) {
        var client = request.source().client();
        var repeats = client != null && client.startsWith(REPEATS);
        var longest = repeats ? LONGEST_REPEATED : LONGEST;
        var draft = new InstructionText(
                name -> has(name, request), request.caller(), welcome(request).orElse(null));
        for (var names = NAMES; names > 0; names--) {
            var text = draft.text(names, !repeats);
            if (text.length() <= longest) {
                return text;
            }
        }
        return draft.text(0, false);
    }

    private boolean has(String name, CallOrigin request) {
        return Discovery.has(name)
                ? request.selection().discovers(name)
                : catalogue
                        .find(name)
                        .filter(tool -> request.caller().may(tool)
                                && request.selection().includes(tool))
                        .isPresent();
    }

    /** Returns nothing while the database is unavailable: then the general text is better than none. */
    private Optional<Welcome> welcome(CallOrigin request) {
        try {
            return catalogue
                    .find(WHO)
                    .map(tool -> new Call(request.caller(), tool, request.requestId(), clock.instant()))
                    .map(call -> queries.read(call, NAMES + 1));
        } catch (Problem unavailable) {
            return Optional.empty();
        }
    }
}
