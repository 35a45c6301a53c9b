"""A class on one machine: `ATTNLAB_PASSWORD=... jupyterhub -f lessons/classroom/jupyterhub_config.py`, see README.md.

Whoever knows the password of the class comes in under a name of their own choice and finds a copy of the lessons in a
folder of that name. Everybody runs as one user of the machine, so it is for a room whose people trust each other; where
they do not, take a spawner that keeps them apart (README.md).
"""

import atexit
import os
import sys
from contextlib import ExitStack
from pathlib import Path

import psutil

from attnlab_server.open_lessons import FIRST, as_root, copy
from lessons.classroom.forked_kernels import forked_kernels

PASSWORD = os.environ.get("ATTNLAB_PASSWORD", "")
TEACHER = os.environ.get("ATTNLAB_TEACHER_PASSWORD", "")  # whoever is "teacher" with it sees and ends all servers
if len(PASSWORD) < 8 or not PASSWORD.isascii():  # JupyterHub takes no others
    raise SystemExit(
        "Choose a password for the class, of at least 8 letters without accents: "
        'ATTNLAB_PASSWORD="..." jupyterhub -f jupyterhub_config.py'
    )
if TEACHER and (len(TEACHER) < 32 or not TEACHER.isascii() or TEACHER == PASSWORD):
    raise SystemExit("ATTNLAB_TEACHER_PASSWORD needs at least 32 letters without accents, and must be another one.")

c = get_config()  # noqa: F821  # JupyterHub gives it to its configuration

HERE = Path(__file__).resolve().parent
CLASS = Path(os.environ.get("ATTNLAB_CLASS", "class")).resolve()  # a folder for each learner
LINUX = sys.platform == "linux"  # there all kernels share one import of torch
A_LEARNER = 700_000_000 if LINUX else 1_100_000_000  # bytes: a server and four lessons that were run, see README.md
KEPT_FREE = 1_000_000_000  # for the machine itself, the hub and its proxy

c.JupyterHub.bind_url = os.environ.get("ATTNLAB_HUB", "http://127.0.0.1:8000")
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = PASSWORD
if TEACHER:
    c.SharedPasswordAuthenticator.admin_password = TEACHER
    c.Authenticator.admin_users = {"teacher"}
c.Authenticator.allow_all = True
c.Authenticator.username_pattern = r"[a-z][a-z0-9-]{0,30}\Z"  # becomes a folder's name; matched at its beginning

# Who comes when the memory is used up is told so; those who are there lose nothing.
c.JupyterHub.active_server_limit = max(1, (psutil.virtual_memory().available - KEPT_FREE) // A_LEARNER)
c.JupyterHub.concurrent_spawn_limit = 100  # a class comes in at one moment, and who must wait would be turned away

c.JupyterHub.spawner_class = "simple"
c.Spawner.cmd = [str(Path(sys.executable).with_name("jupyterhub-singleuser"))]  # of this very environment
c.SimpleLocalProcessSpawner.home_dir_template = str(CLASS / "{username}")
c.Spawner.notebook_dir = str(CLASS / "{username}" / "attnlab-lessons")
c.Spawner.default_url = f"/lab/tree/{FIRST}"
c.Spawner.start_timeout = 180
c.Spawner.http_timeout = 120
c.Spawner.environment = {
    "OMP_NUM_THREADS": "1",  # more threads than cores wait for each other
    "ATTNLAB_HOME": lambda spawner: str(CLASS / spawner.user.name / "progress"),
    "JUPYTER_CONFIG_PATH": str(HERE / "jupyter"),  # JupyterLab asks nobody whether they want its news
}
if LINUX:
    ending = ExitStack()
    c.Spawner.environment["JUPYTER_PATH"] = ending.enter_context(forked_kernels())
    atexit.register(ending.close)
c.Spawner.args = [
    "--MappingKernelManager.cull_idle_timeout=3600",  # a kernel nobody has used for an hour gives its memory back,
    "--MappingKernelManager.cull_connected=True",  # also where its page stays open
    "--MappingKernelManager.cull_interval=300",
    "--ServerApp.shutdown_no_activity_timeout=3600",  # a server nobody has used for an hour gives its seat back
    *as_root(),
]


def bring_the_lessons(spawner) -> None:
    """What a learner has written stays; lessons that are new are added."""
    copy(CLASS / spawner.user.name / "attnlab-lessons")


c.Spawner.pre_spawn_hook = bring_the_lessons
