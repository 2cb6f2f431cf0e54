package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The record of an API key: everything but its secret. */
@Titled
public record Key(
        @Doc("Identifies the key in the AK_ tools; also the first part of the key itself, ek_<id>_….")
        String id,

        @Doc("What it is for.") String name,
        @Doc("The user that it acts for.") String user,

        @Doc("Where it is used: production, staging, …") @Nullable
        String environment,

        @Doc("Whether it works: active, expired or revoked, by itself or with its parent.")
        KeyState state,

        @Doc("What it may do, if its user's role allows it, too; * means everything.")
        List<String> capabilities,

        @Doc("The toolsets that it is limited to, at every endpoint; absent without a limit.") @Nullable
        List<String> toolset,

        @Doc("Whether the person at an MCP client is asked before a destructive tool runs.")
        boolean confirmDestructive,

        @Doc("The only agent that it may act as.") @Nullable String agent,

        @Doc("The key that created it, and with which it ends.") @Nullable
        String parent,

        @Doc("How many active keys it is the parent of.") long children,

        @Doc("When it ends.") @Nullable Instant expiresAt,
        @Doc("When it was created.") Instant createdAt,
        @Doc("When it was revoked.") @Nullable Instant revokedAt,

        @Doc("When it was last used, to the minute; updated within two seconds.") @Nullable
        Instant lastUsedAt,

        @Doc("The program that used it last, by the name that it sent.") @Nullable
        String lastClient,

        @Doc("When it was given a new secret.") @Nullable Instant rotatedAt,

        @Doc("Until when the old secret works, too; absent if it does not.") @Nullable
        Instant previousWorksUntil,

        @Doc("When the old secret was last used, to the minute.") @Nullable
        Instant previousLastUsedAt,

        @Doc("The program that used the old secret last, by the name that it sent.") @Nullable
        String previousLastClient,

        @Doc("Increases with each change.") long revision) {}
