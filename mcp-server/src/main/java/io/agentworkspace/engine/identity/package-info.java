/** Who is calling: the key format, the credentials in a request, and whom they belong to. */
@NullMarked
package io.agentworkspace.engine.identity;

import org.jspecify.annotations.NullMarked;
