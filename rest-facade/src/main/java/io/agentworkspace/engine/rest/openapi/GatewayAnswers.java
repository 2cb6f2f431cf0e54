package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.mcp.ClientConfiguration;
import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The response records of the routes that are not tools. Their schemas are derived from these records. */
final class GatewayAnswers {
    private GatewayAnswers() {}

    record ProblemFields(
            @Doc("Names the kind of problem.") String type,
            @Doc("The kind of problem, in words.") String title,
            @Doc("The HTTP status.") int status,
            @Doc("What was wrong, and what would be right.") String detail,
            @Doc("The symbolic name.") String error,
            @Doc("Names this request in logs.") String requestId,

            @Doc("Of MB_Files: the detail, for the model.") @Nullable
            String text) {}

    record Live(@Doc(value = "That it runs.", oneOf = "ok") String status) {}

    record Clients(
            @Doc("A configuration for each kind of client.") List<ClientConfiguration> clients) {}

    record HealthFields(
            @Doc(
                    value = "How it is.",
                    oneOf = {"ok", "degraded", "starting", "upgrading", "stopping"})
            String status,

            @Doc("The version of the contract.") String contractVersion,
            @Doc("The product's version.") String version,
            @Doc("The server's time.") Instant time,

            @Doc(
                    value = "Whether the database answers, and takes changes; absent while the engine starts or stops.",
                    oneOf = {"reachable", "unreachable", "full", "read_only"})
            @Nullable
            String database) {}

    record Config(
            @Doc("The version of the contract.") String contractVersion,
            @Doc("The product's version.") String version,
            @Doc("The address of the REST routes.") String baseUrl,
            @Doc("The address of the tool protocol's host.") String mcpUrl,
            @Doc("Where MCP is spoken.") String mcpEndpoint,
            @Doc("The path of the generic command route.") String commandRoute,
            @Doc("The path of this document.") String openapi,
            @Doc("How requests may carry a credential.") List<String> authentication,
            @Doc("The providers that can be signed in at.") List<String> signIn,
            @Doc("What is too much.") RequestLimits limits) {}

    record RequestLimits(
            @Doc("Bytes in a body.") int maxBodyBytes,
            @Doc("Levels of nesting in a body.") int maxJsonDepth,
            @Doc("Characters in a name.") int nameCharacters,
            @Doc("Characters in a description.") int descriptionCharacters,
            @Doc("Characters in a profile.") int profileCharacters,
            @Doc("Characters in a content.") int contentCharacters,
            @Doc("Entries on a page.") int pageEntries,

            @Doc("Entries on a page when page.limit is left out.")
            int pageEntriesDefault) {}

    record SessionFields(
            @Doc("Whether the cookie signs anybody in; without, the rest is missing.")
            boolean signedIn,

            @Doc("The user's name.") @Nullable String user,
            @Doc("The tenant's name.") @Nullable String tenant,

            @Doc(
                    value = "The user's role.",
                    oneOf = {"viewer", "member", "admin", "owner"})
            @Nullable
            String role,

            @Doc("What changing requests send in X-CSRF-Token.") @Nullable
            String csrfToken,

            @Doc("When the session ends if it is not used.") @Nullable
            Instant expiresAt) {}

    record TokenFields(
            @Doc("The token, a JWT.") String accessToken,

            @Doc(value = "How to send it.", oneOf = "Bearer")
            String tokenType,

            @Doc("In so many seconds it expires.") int expiresIn) {}

    record Jwks(@Doc("The keys, the one in use first.") List<Jwk> keys) {}

    record Jwk(
            @Doc("The kind of key.") String kty,
            @Doc("Its curve.") String crv,
            @Doc("What it is for.") String use,
            @Doc("The algorithm.") String alg,
            @Doc("Its id, as tokens name it.") String kid,
            @Doc("The point's first coordinate, base64url.") String x,

            @Doc("The point's second coordinate, base64url.")
            String y) {}
}
