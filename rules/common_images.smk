# Helpers only, as common.smk: whether programs run in images, and what the images are called.

from functools import cache

from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod

from harness.core.errors import KvasirError
from harness.images import recipe
from harness.images.apptainer import refusal, use_namespaces
from harness.images.spack_mounts import tell_builds

# Whether programs run in images: snakemake --sdm apptainer
IN_IMAGES = DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method

if IN_IMAGES and refusal():
    raise WorkflowError(
        f"{refusal()}; leave out --sdm apptainer to use this machine's own programs"
    )


if IN_IMAGES:
    use_namespaces()


@cache
def image(name):
    """What an image is made from, and so what its file is called."""
    try:
        found = recipe.Recipe(name, environment=CONFIG.site.images.environment)
        found.identity
        return found
    except KvasirError as error:
        raise WorkflowError(str(error)) from None


tell_builds(CONFIG.site.images)


FIGURES_IMAGE = str(image("figures").image)


def facts_of_image(name):
    """What is known of an image, for what uses it: nothing where no images are used."""
    return [str(image(name).facts)] if IN_IMAGES else []


def image_base(wildcards):
    """The image that an image begins with. It is looked for only when the image is not there."""
    base = image(wildcards.image).base
    return ancient(str(base.image)) if base else []


def image_base_option(wildcards):
    """The same as an option."""
    base = image(wildcards.image).base
    return f"--base={base.image}" if base else ""


def image_use_options(wildcards):
    """What the site says about using."""
    site = CONFIG.site.images
    named = {"--spack-environment": site.environment, "--verify-key": site.verify_key}
    return [f"{name}={value}" for name, value in named.items() if value]
