/** Plans, quotas and usage. */
@NullMarked
package io.agentworkspace.engine.account;

import org.jspecify.annotations.NullMarked;
