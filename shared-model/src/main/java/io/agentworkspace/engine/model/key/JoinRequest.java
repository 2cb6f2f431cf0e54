package io.agentworkspace.engine.model.key;

import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** A program's request to join with an invitation. */
public record JoinRequest(
        @Doc(value = "The code of the invitation.", max = 200)
        String code,

        @Doc(value = "The client that joins, such as claude-code, codex or gemini-cli.", max = 64)
        String client,

        @Doc(value = "The machine that it runs on, for the name of the key.", max = 255) @Nullable
        String host,

        @Doc("Only tells which agent the code is for, and does not use it.") @Nullable
        Boolean preview) {}
