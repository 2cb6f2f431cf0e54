/** API keys: their tools and SQL, what each may grant ({@code KeyAccess}), and when each was used. */
@NullMarked
package io.agentworkspace.engine.identity.keys;

import org.jspecify.annotations.NullMarked;
