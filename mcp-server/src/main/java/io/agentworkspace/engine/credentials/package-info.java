/** What callers authenticate with: API keys, session secrets, access tokens. */
@NullMarked
package io.agentworkspace.engine.credentials;

import org.jspecify.annotations.NullMarked;
