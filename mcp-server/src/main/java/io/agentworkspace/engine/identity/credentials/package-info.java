/** What callers authenticate with: API keys, session secrets and access tokens; {@code Callers} finds the caller. */
@NullMarked
package io.agentworkspace.engine.identity.credentials;

import org.jspecify.annotations.NullMarked;
